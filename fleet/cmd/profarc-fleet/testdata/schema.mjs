// Validates manifests of Kubernetes by its JSON schemas, of the npm package kubernetes-models
// in the folder that is named. Reads a JSON array of manifests, and prints one with what is
// wrong with each, an empty string if nothing is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const models = join(process.argv[2], "node_modules", "kubernetes-models");
const wrong = [];
for (const manifest of JSON.parse(readFileSync(0, "utf8"))) {
  const model = await import(pathToFileURL(join(models, manifest.apiVersion, manifest.kind + ".js")));
  try {
    new model[manifest.kind](manifest).validate();
    wrong.push("");
  } catch (e) {
    wrong.push(e.message);
  }
}
console.log(JSON.stringify(wrong));
