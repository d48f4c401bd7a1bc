// Imported first by every script: whatever Node the user has, the rest runs in one that is new
// enough, or the script says what to do. The install may have skipped its scripts, so nothing is
// taken for granted.
import path from 'node:path'
import { linkNode, wayOn } from './node.mjs'
import { root } from './paths.mjs'
import { become } from './run.mjs'

const { platform, arch } = process
const machine = { root, platform, arch, version: process.versions.node }
const nextStep = wayOn(machine)
if (nextStep && 'say' in nextStep) {
  process.stderr.write(`${nextStep.say}\n`)
  process.exit(1)
}
linkNode(machine)
if (nextStep) {
  const PATH = [path.dirname(nextStep.become), process.env['PATH']].join(path.delimiter)
  become(nextStep.become, process.argv.slice(1), { ...process.env, PATH }, process.cwd())
  // The program that was meant to run here now runs there, and ends this one when it ends.
  await new Promise(() => undefined)
}
