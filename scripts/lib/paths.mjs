import path from 'node:path'

export const root = path.join(import.meta.dirname, '../../')

const { INIT_CWD, npm_lifecycle_event: runningScript } = process.env
const isRunByNpm =
  INIT_CWD !== undefined &&
  path.resolve(process.cwd()) === path.resolve(root) &&
  runningScript === path.basename(process.argv[1] ?? '', '.mjs')

/**
 * The folder where the command was typed, to which its relative paths belong. npm runs scripts in
 * the project's folder, and leaves `INIT_CWD` to everything that its scripts start.
 */
export const callerFolder = isRunByNpm ? INIT_CWD : process.cwd()

/** Returns the path of an executable from the project's own dependencies. */
export function bin(name) {
  return path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name)
}
