import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowserHost, type BrowserHost, type BrowserHostOptions } from './browser-host/index.ts'
import { openBrowser } from './browser-host/browser-launch.ts'
import { createFolderAssetServer, type AssetServer } from './browser-host/responses.ts'
import { composeSwitchableApp } from './switchable-composition.ts'
import { parseConfig, extractEnvironment, programUsage } from './config.ts'
import { exitWithError, printText } from './system/output.ts'

/** Relative to this file, which runs either from the sources or bundled in `out/serve`. */
const bundlePaths = import.meta.url.endsWith('.ts')
  ? {
      root: new URL('..', import.meta.url),
      demoWorker: new URL('demo-host/worker.ts', import.meta.url),
      trafficWorker: new URL('services/traffic/thread/worker.ts', import.meta.url),
      snapshotWorker: new URL('services/snapshots/thread/worker.ts', import.meta.url),
      sourceMapWorker: new URL('services/panel/source-map-thread/worker.ts', import.meta.url),
    }
  : {
      root: new URL('../..', import.meta.url),
      demoWorker: new URL('worker.js', import.meta.url),
      trafficWorker: new URL('traffic.js', import.meta.url),
      snapshotWorker: new URL('snapshots.js', import.meta.url),
      sourceMapWorker: new URL('source-maps.js', import.meta.url),
    }

/** Runs until a signal. In development, `assets` and `onUpgrade` replace the built page. */
export async function serveBrowserHost(
  argv: readonly string[],
  assets?: AssetServer,
  onUpgrade?: BrowserHostOptions['onUpgrade'],
): Promise<void> {
  if (argv.includes('--help')) return printText(`${programUsage}\n`)
  const env = extractEnvironment(process.env)
  const config = parseConfig(argv, env)
  const { version } = JSON.parse(readFileSync(new URL('package.json', bundlePaths.root), 'utf8')) as { version: string }
  const app = await composeSwitchableApp(config, {
    mode: 'browser',
    acceptsProposals: true,
    chooseFile: null,
    panelProcess: null,
    chooseFolder: null,
    resources: new URL('resources/', bundlePaths.root),
    cipher: null,
    demoWorker: bundlePaths.demoWorker,
    trafficWorker: bundlePaths.trafficWorker,
    snapshotWorker: bundlePaths.snapshotWorker,
    sourceMapWorker: bundlePaths.sourceMapWorker,
    openExternal: async () => false,
    runtime: { node: process.versions.node },
    version,
    env,
  })
  let host: BrowserHost | null = null
  let removeKeyFile = (): void => undefined
  let isStopping = false
  const stop = async (): Promise<void> => {
    // Ctrl+C reaches the whole group, and a parent may send it too: a second one is ignored.
    if (isStopping) return
    isStopping = true
    // A parent process kills this one after 3 s.
    setTimeout(() => process.exit(0), 2_500).unref()
    await host?.close()
    await app.dispose()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
  try {
    host = await startBrowserHost({
      dispatcher: app.dispatcher,
      contentReader: app.contentReader,
      panel: app.panel,
      assets: assets ?? createFolderAssetServer(fileURLToPath(new URL('out/web', bundlePaths.root)), app.getAppearance),
      port: config.port,
      onFreshLink: (url) => process.stderr.write(`A page is asking for access. Open it with this address: ${url}\n`),
      onForeignUser: (uid) =>
        process.stderr.write(`Another user of this machine (${uid}) tried the address. It still works for you.\n`),
      onAdmission: () => removeKeyFile(),
      ...(onUpgrade ? { onUpgrade } : {}),
    })
  } catch (error) {
    await app.dispose()
    throw error
  }
  for (const { level, message } of app.listNotices()) if (level !== 'info') process.stderr.write(`Note: ${message}\n`)
  const recording = app.clientProxyUrl === null ? '' : `Recording: ${app.clientProxyUrl}\n`
  await printText(`Bridge Inspector: ${host.url}\n${recording}`)
  if (config.open) removeKeyFile = openBrowser(host.url)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  serveBrowserHost(process.argv.slice(2)).catch(exitWithError)
}
