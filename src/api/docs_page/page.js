// Shows openapi.json with Swagger UI. It leaves out what only machines need: HEAD operations, links, and the headers of errors.
"use strict";

async function show() {
  const response = await fetch("openapi.json");
  if (!response.ok) throw new Error(`openapi.json has status ${response.status}`);
  const spec = await response.json();
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
  document.querySelector("#swagger-ui").textContent = `The API description cannot be shown: ${error.message}`;
});
