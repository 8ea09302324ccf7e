// Comfort only: every page works without this script.
"use strict";

// A button that copies the text of each block that is made to be copied.
for (const block of document.querySelectorAll("pre.copyable")) {
  // Browsers offer it on pages that came over TLS or from this machine.
  if (!navigator.clipboard) break;
  const { copy, copied, notCopied } = document.body.dataset;
  const paragraph = document.createElement("p");
  const button = document.createElement("button");
  paragraph.className = "copy";
  button.type = "button";
  button.className = "secondary";
  button.textContent = copy;
  paragraph.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = copied;
    } catch {
      // The visitor or the browser refused: the text is selected, so that the keyboard copies it.
      getSelection().selectAllChildren(block);
      button.textContent = notCopied;
    }
    setTimeout(() => { button.textContent = copy; }, 4000);
  });
  paragraph.append(button);
  block.after(paragraph);
}

// Empty fields of a search stay out of the address.
for (const form of document.querySelectorAll("form[method=get], form:not([method])")) {
  form.addEventListener("submit", () => {
    const empty = [...form.elements].filter((field) => field.name && !field.value && !field.disabled);
    for (const field of empty) field.disabled = true;
    setTimeout(() => { for (const field of empty) field.disabled = false; });
  });
}

// The box suggests what its words may mean: a combobox with a list, which the keyboard reaches from the box.
for (const box of document.querySelectorAll("input[data-suggest]")) {
  const list = document.createElement("ul");
  const status = document.createElement("p");
  const set = (element, attributes) => { for (const name in attributes) element.setAttribute(name, attributes[name]); };
  let chosen = -1;
  let timer;
  let request;
  const known = new Map();
  let isOver = false;
  // A search box cannot be a combobox; a text box can.
  set(box, { type: "text", enterkeyhint: "search", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "suggestions" });
  set(list, { id: "suggestions", class: "suggestions", role: "listbox", "aria-label": box.dataset.suggestions });
  set(status, { class: "visually-hidden", role: "status" });
  list.hidden = true;
  box.parentElement.append(list, status);
  const choose = (index) => {
    const options = list.children;
    chosen = options.length ? (index + options.length + 1) % (options.length + 1) : -1;
    if (chosen === options.length) chosen = -1;
    for (const [number, option] of [...options].entries()) option.setAttribute("aria-selected", number === chosen);
    if (chosen < 0) box.removeAttribute("aria-activedescendant");
    else {
      box.setAttribute("aria-activedescendant", options[chosen].id);
      options[chosen].scrollIntoView({ block: "nearest" });
    }
  };
  const close = () => {
    clearTimeout(timer);
    request?.abort();
    list.hidden = true;
    list.replaceChildren();
    box.setAttribute("aria-expanded", "false");
    choose(-1);
  };
  const show = (results) => {
    list.replaceChildren(...results.map(({ label, what, count, href }, number) => {
      const option = document.createElement("li");
      const name = document.createElement("bdi");
      const note = document.createElement("small");
      set(option, { id: `suggestion-${number}`, role: "option", "aria-selected": "false" });
      name.textContent = label;
      note.textContent = `${what} · ${count}`;
      option.append(name, " ", note);
      option.dataset.href = href;
      return option;
    }));
    list.hidden = !results.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
    choose(-1);
  };
  const ask = async () => {
    request?.abort();
    request = new AbortController();
    const address = new URL(box.dataset.suggest, location);
    address.searchParams.set("q", box.value.trim());
    address.searchParams.set("kind", box.form.elements.kind?.value || "");
    const asked = address.href;
    try {
      if (!known.has(asked)) {
        const answer = await fetch(asked, { signal: request.signal });
        // Each costs a request: none is left for typing, only for the search itself.
        if (answer.status === 429) isOver = true;
        if (!answer.ok || answer.redirected) return;
        known.set(asked, await answer.json());
      }
      const { results, status: said } = known.get(asked);
      if (document.activeElement !== box) return;
      show(results);
      status.textContent = said;
    } catch { /* Another letter came, or the network failed: the box works without suggestions. */ }
  };
  box.addEventListener("input", () => {
    close();
    if (!isOver && box.value.trim().length > 2) timer = setTimeout(ask, 400);
  });
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? list.children.length - 1 : chosen - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && chosen >= 0) location.assign(list.children[chosen].dataset.href);
    else return;
    event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (option) location.assign(option.dataset.href);
  });
  box.addEventListener("blur", close);
  box.form.addEventListener("submit", close);
}
