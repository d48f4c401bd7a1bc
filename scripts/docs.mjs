// npm run docs: writes the generated part of the documentation.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { contractDoc } from './lib/contract.mjs'
import { root } from './lib/paths.mjs'
import { rulesDoc } from './lib/rules.mjs'

writeFileSync(path.join(root, 'docs', 'contract.md'), contractDoc())
writeFileSync(path.join(root, 'docs', 'rules.md'), rulesDoc())
