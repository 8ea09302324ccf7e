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
