import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

const file = path.join(root, 'package.json')
const backupFile = path.join(root, 'package.json.whole')

/**
 * What only a checkout has: what runs is bundled. `main` is the desktop app, which the package for
 * npm does not hold.
 */
const checkoutOnlyMembers = [
  ...['scripts', 'dependencies', 'optionalDependencies', 'devDependencies', 'overrides'],
  ...['prettier', 'main', 'productName'],
]

/** The manifest that users of the package for npm get. */
export const publishedManifest = (manifest) =>
  Object.fromEntries(Object.entries(manifest).filter(([name]) => !checkoutOnlyMembers.includes(name)))

/**
 * Puts that manifest in place of the checkout's for the time of `npm pack`, which takes the file as
 * it is.
 */
export function reduceManifest() {
  // A pack that was interrupted has left it like that.
  restoreManifest()
  const manifestText = readFileSync(file, 'utf8')
  writeFileSync(backupFile, manifestText)
  writeFileSync(file, `${JSON.stringify(publishedManifest(JSON.parse(manifestText)), null, 2)}\n`)
}

export function restoreManifest() {
  if (existsSync(backupFile)) renameSync(backupFile, file)
}
