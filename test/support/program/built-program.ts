import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from '../../../scripts/lib/build.mjs'
import { root } from '../../../scripts/lib/paths.mjs'

let isBuilt = false
/** The check runs once, because it reads every source file. */
export function ensureProgramBuilt(): void {
  if (!isBuilt) ensureBuilt('cli')
  isBuilt = true
}

/**
 * The program's threads as bundles: starting one from sources costs twice as much, and each app and
 * each command has its own.
 */
export function findBuiltWorkers() {
  ensureProgramBuilt()
  const findFile = (name: string): URL => pathToFileURL(path.join(root, 'out/cli', name))
  return {
    demoWorker: findFile('worker.js'),
    trafficWorker: findFile('traffic.js'),
    snapshotWorker: findFile('snapshots.js'),
    sourceMapWorker: findFile('source-maps.js'),
  }
}
