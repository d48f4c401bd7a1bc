import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startBrowserHost } from '../../electron/browser-host/index.ts'
import { compose } from '../../electron/compose.ts'
import { parseConfig } from '../../electron/config.ts'

// A program of its own: the services and the browser host with a bare page, and the panel of the folder that is its argument. Prints one
// line of JSON, the addresses of both, and then one for each note of the panel.
const at = (file: string): URL => new URL(`../../${file}`, import.meta.url)
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
const app = await compose(parseConfig(['--data-dir', dataDir, '--panel', process.argv[2] ?? ''], {}), {
  mode: 'browser',
  chooseFile: null,
  chooseFolder: null,
  cipher: null,
  panelView: null,
  resources: at('resources/'),
  demoWorker: at('electron/demo-host/worker.ts'),
  trafficWorker: at('electron/services/traffic/thread/worker.ts'),
  openExternal: async () => false,
  runtime: {},
  version: '1.2.3',
  env: {},
})
const host = await startBrowserHost({
  door: app.door,
  content: app.content,
  panel: app.panel,
  port: 0,
  assets: async (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end('<!doctype html><title>Inspector</title><button>Alive</button>')
  },
})
const tell = (value: unknown): unknown => process.stdout.write(`${JSON.stringify(value)}\n`)
const ask = async (method: string, input: object): Promise<unknown> => {
  const reply = await app.door.call('test', { id: method + Math.random(), method, input })
  return reply.ok ? reply.value : null
}
app.door.subscribe(({ topic }) => {
  if (topic === 'panel.noted') void ask('panel.notes', { after: 0 }).then((notes) => tell({ notes }))
  if (topic === 'panel.changed') void ask('panel.get', {}).then((state) => tell({ state }))
})
tell({ page: host.url, state: await ask('panel.get', {}) })
process.stdin.resume()
process.stdin.once('end', () => {
  void (async () => {
    await host.close()
    await app.dispose()
    rmSync(dataDir, { recursive: true, force: true })
    process.exit(0)
  })()
})
