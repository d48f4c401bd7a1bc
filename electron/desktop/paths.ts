import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns paths of bundles relative to the main bundle (`out/main/main.js`). */
export function getBundlePaths(mainUrl: string): {
  page: string
  preload: string
  demoWorker: URL
  trafficWorker: URL
  snapshotWorker: URL
  sourceMapWorker: URL
  resources: URL
  commandLine: URL
} {
  return {
    page: fileURLToPath(new URL('../renderer', mainUrl)),
    preload: fileURLToPath(new URL('../preload/preload.cjs', mainUrl)),
    demoWorker: new URL('./worker.js', mainUrl),
    trafficWorker: new URL('./traffic.js', mainUrl),
    snapshotWorker: new URL('./snapshots.js', mainUrl),
    sourceMapWorker: new URL('./source-maps.js', mainUrl),
    resources: new URL('../../resources/', mainUrl),
    commandLine: new URL('./command-line.js', mainUrl),
  }
}

/** Holds Chromium's cache, local storage and single-instance lock. */
export function getChromiumDir(dataDir: string): string {
  return path.join(dataDir, 'electron')
}

export function getWindowStateFile(dataDir: string): string {
  return path.join(dataDir, 'window.json')
}
