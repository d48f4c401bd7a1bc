import { existsSync, readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { configureRequestUrl, HttpExecutor, type DownloadOptions } from 'builder-util-runtime'
import * as library from 'electron-updater'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUpdater } from '../../../electron/desktop/updater.ts'
import { toUpdateError } from '../../../electron/desktop/update-release.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { buildUpdateDescription, startUpdateServer, type UpdateServer } from '../../support/program/update-server.ts'

const DEB = Buffer.alloc(300_000, 'a package')
const FEED_FILE = process.arch === 'arm64' ? '/latest-linux-arm64.yml' : '/latest-linux.yml'

let feed: UpdateServer
let folder = ''
let never: AbortSignal
beforeEach(async () => {
  feed = await startUpdateServer()
  folder = createTempDir()
  never = new AbortController().signal
})
afterEach(() => feed.close())

/** What Electron's network does for the library, with Node's. */
class NodeExecutor extends HttpExecutor<http.ClientRequest> {
  createRequest(options: http.RequestOptions, callback: (response: http.IncomingMessage) => void): http.ClientRequest {
    return http.request(options, callback)
  }

  download(url: URL, destination: string, options: DownloadOptions): Promise<string> {
    return options.cancellationToken.createPromise<string>((resolve, reject, onCancel) => {
      const request = {}
      configureRequestUrl(url, request)
      const callback = (error?: Error | null): void => (error ? reject(error) : resolve(destination))
      this.doDownload(request, { destination, options, onCancel, callback, responseHandler: null }, 0)
    })
  }
}

/** The real library, with Node in place of Electron: its version is 0.1.0. */
function updater(kind: 'deb' | null = 'deb') {
  const app = {
    version: '0.1.0',
    name: 'Bridge Inspector',
    isPackaged: true,
    appUpdateConfigPath: '',
    userDataPath: folder,
    baseCachePath: path.join(folder, 'cache'),
    whenReady: () => Promise.resolve(),
    relaunch: () => undefined,
    quit: () => undefined,
    onQuit: () => {
      throw new Error('nothing is installed when the program quits')
    },
  }
  return createUpdater({
    kind,
    folder: () => folder,
    publisher: '',
    load: () => Promise.resolve(library),
    createLibraryUpdater: ({ DebUpdater }) =>
      Object.assign(new DebUpdater(null, app), {
        httpExecutor: new NodeExecutor(),
        _testOnlyOptions: { platform: 'linux' },
      }),
  })
}

const pending = (): string[] => {
  const pendingFolder = path.join(folder, 'cache/bridge-inspector-updater/pending')
  return existsSync(pendingFolder) ? readdirSync(pendingFolder).filter((name) => name === 'app.deb') : []
}

test('finds a newer version with its notes as text, and requests only its description', async () => {
  const notes = 'releaseDate: 2026-11-22T10:00:00.000Z\nreleaseNotes: "<p>Better <script>x()</script>\\u202Etxt</p>"\n'
  feed.files.set(FEED_FILE, buildUpdateDescription('0.2.0', 'app.deb', DEB, notes))
  const release = await updater().check(feed.url)
  expect(release).toEqual({ version: '0.2.0', date: '2026-11-22T10:00:00.000Z', notes: 'Better x()txt' })
  expect(feed.requests.map(({ line }) => line)).toEqual([`GET ${FEED_FILE}`])
  expect(JSON.stringify(feed.requests)).not.toMatch(/authorization|cookie/i)
})

test.each(['0.1.0', '0.0.9'])('ignores version %s, which is not newer', async (version) => {
  feed.files.set(FEED_FILE, buildUpdateDescription(version, 'app.deb', DEB))
  expect(await updater().check(feed.url)).toBeNull()
})

test('compares a download with the checksum in the feed, and reports its progress', async () => {
  feed.files.set(FEED_FILE, buildUpdateDescription('0.2.0', 'app.deb', DEB))
  feed.files.set('/app.deb', DEB)
  const instance = updater()
  await instance.check(feed.url)
  let last = [0, 0]
  await instance.download((received, total) => (last = [received, total]), never)
  expect(last).toEqual([DEB.length, DEB.length])
  expect(pending()).toEqual(['app.deb'])
  expect(readFileSync(path.join(folder, 'cache/bridge-inspector-updater/pending/app.deb')).equals(DEB)).toBe(true)
})

test('refuses another file under the same name, and does not keep it', async () => {
  feed.files.set(FEED_FILE, buildUpdateDescription('0.2.0', 'app.deb', DEB))
  feed.files.set('/app.deb', Buffer.alloc(DEB.length, 'another one'))
  const instance = updater()
  await instance.check(feed.url)
  await expect(instance.download(() => undefined, never)).rejects.toMatchObject({ code: 'UPDATE_WRONG_CHECKSUM' })
  expect(pending()).toEqual([])
})

test('cancels a download', async () => {
  feed.files.set(FEED_FILE, buildUpdateDescription('0.2.0', 'app.deb', DEB))
  const cancel = new AbortController()
  feed.files.set('/app.deb', (response) => {
    response.writeHead(200, { 'Content-Length': DEB.length })
    response.write(DEB.subarray(0, 1000), () => cancel.abort())
  })
  const instance = updater()
  await instance.check(feed.url)
  await expect(instance.download(() => undefined, cancel.signal)).rejects.toMatchObject({ code: 'UPDATE_FAILED' })
  expect(pending()).toEqual([])
})

test.each([
  ['nothing', undefined, 'UPDATE_FEED_MISSING'],
  ['a web page', '<!doctype html><title>Welcome</title>', 'UPDATE_FEED_BROKEN'],
  ['no version', 'files: []', 'UPDATE_FEED_BROKEN'],
  ['no version of ours', buildUpdateDescription('latest', 'app.deb', DEB), 'UPDATE_FEED_BROKEN'],
  ['a name for a shell', buildUpdateDescription('0.2.0', "a';touch b;'.deb", DEB), 'UPDATE_FEED_BROKEN'],
  ['an encoded name for a shell', buildUpdateDescription('0.2.0', 'a%27%3Btouch%20b.deb', DEB), 'UPDATE_FEED_BROKEN'],
  ['no files', 'version: 0.2.0', 'UPDATE_FEED_BROKEN'],
])('reports a feed with %s as an error', async (_, body, code) => {
  if (body !== undefined) feed.files.set(FEED_FILE, body)
  await expect(updater().check(feed.url)).rejects.toMatchObject({ code })
})

test('downloads nothing without a checksum', async () => {
  feed.files.set(FEED_FILE, 'version: 0.2.0\nfiles:\n  - url: app.deb\n')
  feed.files.set('/app.deb', DEB)
  const instance = updater()
  await instance.check(feed.url)
  await expect(instance.download(() => undefined, never)).rejects.toMatchObject({ code: 'UPDATE_FEED_BROKEN' })
  expect(feed.requests.map(({ line }) => line)).not.toContain('GET /app.deb')
})

test('puts only the reason into an error: no address, no path, no response', () => {
  const createError = (code: string, message = 'https://example.org/?secret /home/me'): unknown =>
    Object.assign(new Error(message), { code })
  const errors = [
    createError('HTTP_ERROR_503'),
    createError('ECONNRESET'),
    createError('', 'net::ERR_NAME_NOT_RESOLVED'),
    createError('EACCES'),
    createError('x'),
  ]
  expect(errors.map((entry) => toUpdateError(entry).wire)).toMatchObject([
    { code: 'UPDATE_HTTP', params: { status: '503' } },
    { code: 'UPDATE_UNREACHABLE', params: { reason: 'ECONNRESET' } },
    { code: 'UPDATE_UNREACHABLE', params: { reason: 'ERR_NAME_NOT_RESOLVED' } },
    { code: 'UPDATE_UNREACHABLE', params: { reason: 'EACCES' } },
    { code: 'UPDATE_FAILED' },
  ])
  expect(JSON.stringify(errors.map((entry) => toUpdateError(entry).wire))).not.toMatch(/secret|home/)
})

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/app.deb', 'http://192.0.2.1/app.deb', 'data:text/plain,x'])(
  'refuses a redirect to %s at once, for the description and for the file',
  async (location) => {
    const led = http.createServer((_, response) => response.writeHead(302, { location }).end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => led.once('listening', resolve))
    const { port } = led.address() as AddressInfo
    await expect(updater().check(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'UPDATE_ADDRESS_REFUSED' })
    feed.files.set(FEED_FILE, buildUpdateDescription('0.2.0', `http://127.0.0.1:${port}/app.deb`, DEB))
    const instance = updater()
    await instance.check(feed.url)
    await expect(instance.download(() => undefined, never)).rejects.toMatchObject({ code: 'UPDATE_ADDRESS_REFUSED' })
    expect(pending()).toEqual([])
    led.close()
  },
)
