// Derives a venue's tags from its poster in the browser, so that the poster's secret never leaves it: the fields in which posters are
// typed have no names, and only tags are sent. Shared/Domain/Venues has the same derivation. Without this file, numbers can be entered.
"use strict";

(() => {
  const element = (id) => document.getElementById(id);
  const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const ascii = (text) => new TextEncoder().encode(text);

  // https://HOST/venue#v1.BASE64URL, or only what stands behind the #: version 1, a seed of 32 bytes, the place's description.
  const read = (text) => {
    const match = /^(?:https:\/\/[^/?#\s]+\/venue#)?v1\.([A-Za-z0-9_-]+)$/.exec(text.trim());
    if (!match) return null;
    try {
      const bytes = Uint8Array.from(atob(match[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
      if (bytes.length < 33 || bytes.length > 133 || bytes[0] !== 1) return null;
      return { seed: bytes.slice(1, 33), place: new TextDecoder("utf-8", { fatal: true }).decode(bytes.slice(33)) };
    } catch {
      return null;
    }
  };

  // A function that gives a venue's tag on a day.
  const tagger = async (seed) => {
    const material = await crypto.subtle.importKey("raw", seed, "HKDF", false, ["deriveBits"]);
    const keys = await crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: ascii("EN-VenueCheckIn-v1") }, material, 512);
    const key = await crypto.subtle.importKey("raw", keys.slice(32), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return async (day) => {
      const input = ascii("venue-event0000");
      new DataView(input.buffer).setUint32(11, day);
      return hex(await crypto.subtle.sign("HMAC", key, input));
    };
  };

  const poster = element("poster");
  if (poster) {
    element("unscripted").hidden = true;
    element("poster-part").hidden = false;
    const place = element("place");
    const show = () => {
      const venue = read(poster.value);
      place.textContent = venue ? place.dataset.text.replace("#", venue.place) : poster.value ? place.dataset.warning : "";
      return venue;
    };
    poster.addEventListener("input", show);

    const form = element("venue");
    const dayOf = (id) => Math.floor(Date.parse(`${element(id).value.slice(0, 10)}T00:00Z`) / 86400000);
    form.addEventListener("submit", async (event) => {
      if (!poster.value) return;
      // Not yet: this listener comes before the one that lets a form be sent once.
      event.preventDefault();
      event.stopImmediatePropagation();
      const venue = show();
      const [first, last] = [dayOf("start") - 1, dayOf("end") + 1];
      if (!venue || !(last - first < 8)) {
        if (!venue) poster.focus();
        else form.reportValidity();
        return;
      }
      const tag = await tagger(venue.seed);
      const tags = [];
      // The times are local ones, so a day more on either side; the server keeps those of the days that count.
      for (let day = first; day <= last; day++) tags.push(`${day}:${await tag(day)}`);
      element("tags").value = tags.join(",");
      poster.value = "";
      // In a task of its own: while the first submission's event may still be on its way, browsers ignore another one.
      setTimeout(() => form.requestSubmit());
    });

    // A camera, where the browser itself reads codes.
    const camera = element("camera");
    if ("BarcodeDetector" in window && navigator.mediaDevices) {
      camera.hidden = false;
      camera.addEventListener("click", async () => {
        const detector = new BarcodeDetector({ formats: ["qr_code"] });
        const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } }).catch(() => null);
        if (!stream) return;
        const video = document.createElement("video");
        video.srcObject = stream;
        video.playsInline = true;
        camera.after(video);
        const stop = () => {
          clearInterval(looking);
          stream.getTracks().forEach((track) => track.stop());
          video.remove();
        };
        const looking = setInterval(async () => {
          const codes = await detector.detect(video).catch(() => []);
          const code = codes.find((found) => read(found.rawValue));
          if (!code || !video.isConnected) return;
          poster.value = code.rawValue;
          show();
          stop();
        }, 300);
        addEventListener("pagehide", stop);
        await video.play();
      });
    }
  }

  // Marks the entries of one venue in the list, so that a second person can compare them with the poster.
  const compared = element("compared");
  if (compared) {
    element("comparison").hidden = false;
    const matches = element("matches");
    const hint = matches.textContent;
    compared.addEventListener("input", async () => {
      const text = compared.value.trim();
      const venue = read(text);
      const number = text.replaceAll(" ", "");
      const isNumber = /^[0-9]{13}$/.test(number);
      const tag = venue ? await tagger(venue.seed) : null;
      const fixed = isNumber ? hex(await crypto.subtle.digest("SHA-384", ascii(number))) : null;
      let count = 0;
      for (const row of document.querySelectorAll("tr.venue")) {
        const tags = row.dataset.text.split(",");
        const own = tag ? await tag(Number(row.dataset.seconds)) : fixed;
        const isSame = own !== null && tags[0] === own;
        row.querySelector(".match").hidden = !isSame;
        if (isSame) count++;
      }
      const known = venue || isNumber;
      matches.textContent = known ? matches.dataset.text.replace("#", count) : text ? matches.dataset.warning : hint;
    });
  }
})();
