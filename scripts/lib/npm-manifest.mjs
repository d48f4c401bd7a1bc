import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

const file = path.join(root, 'package.json')
const backupFile = path.join(root, 'package.json.whole')

/**
 * Only a checkout needs these members, because the package for npm contains bundles. `main` is the
 * desktop app, which that package does not contain.
 */
const checkoutOnlyMembers = [
  'scripts',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'overrides',
  'prettier',
  'main',
  'productName',
]

/** Returns the manifest that users of the package for npm get. */
export function toPublishedManifest(manifest) {
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => !checkoutOnlyMembers.includes(name)))
}

/** Replaces the checkout's manifest while `npm pack` runs, because npm packs the file as it is. */
export function reduceManifest() {
  // An interrupted pack leaves the reduced manifest behind.
  restoreManifest()
  const manifestText = readFileSync(file, 'utf8')
  writeFileSync(backupFile, manifestText)
  writeFileSync(file, `${JSON.stringify(toPublishedManifest(JSON.parse(manifestText)), null, 2)}\n`)
}

export function restoreManifest() {
  if (existsSync(backupFile)) renameSync(backupFile, file)
}
