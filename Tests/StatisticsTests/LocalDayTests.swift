import Statistics
import Testing

struct LocalDayTests {
    @Test(
        "a day has its date, its weekday and its ISO week",
        arguments: [
            (0, "1970-01-01", 3, 1970, 1), (-1, "1969-12-31", 2, 1970, 1), (20_780, "2026-11-23", 0, 2026, 48),
            (20_815, "2026-12-28", 0, 2026, 53), (20_821, "2027-01-03", 6, 2026, 53),
            (20_822, "2027-01-04", 0, 2027, 1),
            (11_016, "2000-02-29", 1, 2000, 9), (19_722, "2023-12-31", 6, 2023, 52), (19_723, "2024-01-01", 0, 2024, 1),
        ] as [(Int32, String, Int, Int, Int)])
    func calendar(number: Int32, date: String, weekday: Int, year: Int, week: Int) {
        let day = LocalDay(number: number)
        #expect(day.description == date)
        #expect(day.weekday == weekday)
        #expect(day.week == (year, week))
        #expect(day.monday.weekday == 0)
        #expect((0..<7).contains(day.number - day.monday.number))
    }
}
