// Every script imports this file first. If the running Node is too old, it starts the script again
// in the Node of the dependencies, or prints what to do. It imports no package and links that Node
// itself, because the dependencies may be missing or `npm ci` may have skipped its scripts.
import path from 'node:path'
import { linkNode, chooseNode } from './node.mjs'
import { root } from './paths.mjs'
import { runInForeground } from './run.mjs'

const { platform, arch } = process
const machine = { root, platform, arch, version: process.versions.node }
const nextStep = chooseNode(machine)
if (nextStep && 'problem' in nextStep) {
  process.stderr.write(`${nextStep.problem}\n`)
  process.exit(1)
}
linkNode(machine)
if (nextStep) {
  const PATH = [path.dirname(nextStep.program), process.env['PATH']].join(path.delimiter)
  runInForeground(nextStep.program, process.argv.slice(1), { ...process.env, PATH }, process.cwd())
  // The other process runs the script and exits this one when it ends, so this one only waits.
  await new Promise(() => undefined)
}
