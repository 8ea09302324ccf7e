// Shows the description beside this page. HEAD is left out: it says of each endpoint what GET says already.
"use strict";

async function show() {
  const answer = await fetch("openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const spec = await answer.json();
  for (const path of Object.values(spec.paths)) delete path.head;
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
