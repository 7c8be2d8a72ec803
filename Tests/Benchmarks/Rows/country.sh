# The model of a simulated country with 100,000 people, without phones and services: contacts, infections, tests and visits; and the oracle,
# which finds for every key that users then upload which phones heard it. The reference is a published figure and isn't run here:
# OpenABM-Covid19 names 100 ms for a day of as many people on a laptop of 2015 (documentation/covid19.md, "Performance"), which is 240 hours
# a second. Its step is a day, and it simulates no distances, visits and keys.
country_hour_prepare() { :; }
country_hour_ours() {
    taskset -c 0 "$benchmarks" country-hours --seconds "$seconds" 2>"$scratch/country.log" |
        sed -n 's/.*"cpu_seconds":\([0-9.]*\),"operations":\([0-9]*\).*/\2 \1/p' | awk '{ print $1 / $2 }'
}
country_hour_reference() { echo 240; }
country_hour_end() { :; }
