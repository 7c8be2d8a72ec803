// Comfort only: every page works without this file. Time comes from the browser's monotonic clock, because the wall clocks of
// call centres are wrong; the seconds to count from stand in the page.
"use strict";

(() => {
  const element = (id) => document.getElementById(id);
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const seconds = (node) => Number(node.dataset.seconds);

  // One submission for each form. A page that comes back from the browser's memory can be used again.
  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) {
        event.preventDefault();
        return;
      }
      form.dataset.sent = "yes";
      // Disabled a moment later: a disabled button would not be part of this submission.
      setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = true)), 0);
    });
  }
  addEventListener("pageshow", () => {
    for (const form of document.forms) {
      delete form.dataset.sent;
      form.querySelectorAll("button").forEach((button) => (button.disabled = false));
    }
  });

  // The code leaves the screen after ten minutes, and before the page goes into the browser's memory.
  const code = element("code");
  const spelling = element("spelling");
  const hideCode = () => {
    if (!code) return;
    code.textContent = code.dataset.text;
    if (spelling) spelling.remove();
  };
  addEventListener("pagehide", hideCode);

  // The code's validity, announced at ten, five and one minute and at the end.
  const left = element("left");
  const announcement = element("announcement");
  let announced = left ? Math.ceil(seconds(left) / 60) : 0;
  const countDown = () => {
    const minutes = Math.max(0, Math.ceil((seconds(left) - elapsed()) / 60));
    const [one, many] = left.dataset.text.split("|");
    const text = minutes === 0 ? left.dataset.warning : minutes === 1 ? one : many.replace("#", minutes);
    if (left.textContent !== text) left.textContent = text;
    if (minutes < announced) {
      announced = minutes;
      if ([10, 5, 1, 0].includes(minutes)) announcement.textContent = text;
    }
  };

  // Two minutes before the session ends, a link offers to stay. At its end the page makes room for the start page.
  const session = element("session");
  const warn = () => {
    const rest = seconds(session) - elapsed();
    if (rest <= 120 && session.hidden) session.hidden = false;
    if (rest <= -5) location.replace("/");
  };

  const tick = () => {
    if (left) countDown();
    if (code && elapsed() >= seconds(code)) hideCode();
    if (session) warn();
  };
  setInterval(tick, 1000);
  tick();
})();
