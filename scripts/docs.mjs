// npm run docs: writes the generated part of the documentation, and the types of the contract.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { loadCommands } from '../cli/commands/index.ts'
import { createCommandLineDoc } from './lib/command-line-doc.ts'
import { createManPage } from './lib/man-page.ts'
import { collectionSchemaPath, createCollectionSchema } from './lib/collection-schema.mjs'
import { bridgeTypesPath, createBridgeTypes } from './lib/bridge-types.mjs'
import { createContractDoc } from './lib/contract.mjs'
import { root } from './lib/paths.mjs'
import { createRulesDoc } from './lib/rules.mjs'

const commands = await loadCommands()

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const write = (file, text) => writeFileSync(path.join(root, 'docs', file), text)

write('contract.md', createContractDoc())
write('rules.md', createRulesDoc())
write('command-line.md', createCommandLineDoc(commands))
write('bridge-inspector.1', createManPage(commands, version))
writeFileSync(collectionSchemaPath, createCollectionSchema())
writeFileSync(bridgeTypesPath, await createBridgeTypes(readFileSync(bridgeTypesPath, 'utf8')))
