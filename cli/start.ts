// The program's entry. Node keeps compiled code only of modules that are loaded after this call.
import module from 'node:module'
import { findNodeProblem } from '../electron/core/node-version.ts'
import { prepareCodeCache } from './base/code-cache.ts'

const problem = findNodeProblem(process.versions.node)
if (problem !== null) {
  process.stderr.write(`NODE_TOO_OLD: ${problem}\n`)
  process.exit(1)
}

const folder = prepareCodeCache(process.env)
if (folder !== null) module.enableCompileCache(folder)
await import('./main.ts')
