// Shows the description beside this page, without what only machines need: HEAD beside each GET, links, the headers of errors.
"use strict";

async function show() {
  const answer = await fetch("openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const spec = await answer.json();
  for (const path of Object.values(spec.paths)) {
    delete path.head;
    for (const operation of Object.values(path)) delete operation.responses?.["200"]?.links;
  }
  for (const error of Object.values(spec.components.responses)) delete error.headers;
  for (const parameter of Object.values(spec.components.parameters)) delete parameter.allowEmptyValue;
  SwaggerUIBundle({
    spec,
    dom_id: "#swagger-ui",
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    validatorUrl: null,
  });
}

show().catch((error) => {
  document.querySelector("#swagger-ui").textContent = `The description cannot be shown: ${error.message}`;
});
