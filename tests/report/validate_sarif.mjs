// SPDX-License-Identifier: MIT
// Validates logs against the SARIF 2.1.0 JSON Schema that the npm package @microsoft/jest-sarif carries.
// Usage: node validate_sarif.mjs NODE_MODULES FILE... ; one line a fault; exit 1 when a file has any.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const carrier = join(resolve(modules), '@microsoft', 'jest-sarif');
const require = createRequire(join(carrier, 'package.json')); // its own ajv: a newer one does not read draft-04 schemas
const Ajv = require('ajv');
const ajv = new Ajv({ schemaId: 'auto', allErrors: true });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const valid = ajv.compile(JSON.parse(readFileSync(join(carrier, 'lib', 'schemas', 'sarif-2.1.0-rtm.5.json'), 'utf8')));
let faults = 0;
for (const file of files) {
  if (valid(JSON.parse(readFileSync(file, 'utf8')))) continue;
  for (const fault of valid.errors) {
    faults += 1;
    console.log(`${file}: ${fault.dataPath} ${fault.message} ${JSON.stringify(fault.params)}`);
  }
}
process.exit(faults ? 1 : 0);
