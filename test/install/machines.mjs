import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A machine is a folder with only Node and npm, to be used as the whole PATH. */
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Makes such a folder out of a Node and an npm, and the shell that npm runs programs with. Returns
 * it.
 * @param {string} folder where the machines are
 */
export function createMachine(folder, name, node, npm) {
  const bin = path.join(folder, name)
  mkdirSync(bin, { recursive: true })
  symlinkSync(node, path.join(bin, 'node'))
  symlinkSync('/bin/sh', path.join(bin, 'sh'))
  for (const program of ['npm', 'npx']) {
    const file = path.join(bin, program)
    const cli = path.join(npm, 'bin', `${program}-cli.js`)
    writeFileSync(file, `#!/bin/sh\nexec ${quote(path.join(bin, 'node'))} ${quote(cli)} "$@"\n`)
    chmodSync(file, 0o755)
  }
  return bin
}

/**
 * Installs a package of the registry into its own folder without running its scripts. Null if it is
 * not available.
 */
export function fetchPackage(folder, name, version) {
  const prefix = path.join(folder, `${name}-${version}`)
  mkdirSync(prefix, { recursive: true })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', prefix]
  spawnSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: prefix, stdio: 'ignore', timeout: 300_000 })
  const match = path.join(prefix, 'node_modules', name)
  return existsSync(path.join(match, 'package.json')) ? match : null
}
