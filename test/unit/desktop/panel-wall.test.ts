import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createBlockingProxy,
  createPanelProcess,
  createPanelUrlCheck,
  findRequestRefusal,
  isolateWindow,
} from '../../../electron/desktop/panel-frame.ts'
import { FakeContents, notes } from './fakes.ts'

const host = `${'0123456789abcdef'.repeat(2)}.localhost:4711`
const isPanelUrl = createPanelUrlCheck(4711)
const ownFrame = { parent: null }
const panelFrame = { parent: ownFrame }
type Request = Parameters<typeof findRequestRefusal>[0]

const findRefusal = (url: string, request: Partial<Request> = {}, devSocket?: string) =>
  findRequestRefusal(
    { url, resourceType: 'xhr', webContentsId: 7, frame: panelFrame, ...request },
    { contentsId: 7, isPanelUrl, devSocket },
  )

describe('safety 30: requests of the window', () => {
  test.each([
    [`http://${host}/`, 'subFrame'],
    [`http://${host}/bridge/v1/ui-state`, 'xhr'],
    [`ws://${host}/?token=x`, 'webSocket'],
    ['data:image/png;base64,AA==', 'image'],
    [`blob:http://${host}/1`, 'script'],
    ['devtools://devtools/bundled/devtools_app.html', 'mainFrame'],
  ])('to %s are allowed as %s', (url, resourceType) => {
    expect(findRefusal(url, { resourceType: resourceType as 'xhr' })).toBeNull()
  })

  test('to the files of our page are allowed for the page and its workers, not for a frame', () => {
    const requests = [{ frame: ownFrame }, { frame: null }, { frame: undefined }, { frame: panelFrame }]
    expect(requests.map((request) => findRefusal('app://bridge-inspector/assets/x.js', request))).toEqual([
      null,
      null,
      null,
      'foreign',
    ])
  })

  test.each([
    ['http://127.0.0.1:42340/bridge/v1/status', 'xhr'],
    ['http://127.0.0.1:4711/', 'xhr'],
    ['http://localhost:4711/', 'subFrame'],
    [`http://${host.replace('4711', '4712')}/`, 'subFrame'],
    [`http://${host}.evil/`, 'xhr'],
    [`http://x@${host}/`, 'xhr'],
    [`https://${host}/`, 'xhr'],
    [`http://${host}/`, 'mainFrame'],
    ['https://example.org/', 'script'],
    ['ws://127.0.0.1:42340/', 'webSocket'],
    ['file:///etc/passwd', 'xhr'],
    ['FILE:///etc/passwd', 'image'],
    ['not an address', 'xhr'],
  ])('to %s are refused as %s', (url, resourceType) => {
    const request = { resourceType: resourceType as 'xhr' }
    expect(findRefusal(url, request)).toBe('remote')
    expect(findRefusal(url, { ...request, frame: ownFrame })).toBe('remote')
  })

  test('are refused to any other origin', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https', 'ws', 'wss', 'ftp', 'bridge-panel'), fc.string(), (scheme, rest) => {
        expect(findRefusal(`${scheme}://${rest}`)).toBe('remote')
      }),
    )
  })

  test('are allowed to the socket of our own development server, and to nothing else of that server', () => {
    const devSocket = 'ws://localhost:5173'
    const socket = { resourceType: 'webSocket' as const }
    expect(findRefusal('ws://localhost:5173/?token=x', socket, devSocket)).toBeNull()
    expect(findRefusal('ws://localhost:5173/', socket)).toBe('remote')
    expect(findRefusal('ws://localhost:51730/', socket, devSocket)).toBe('remote')
    expect(findRefusal('ws://localhost:5173.evil/', socket, devSocket)).toBe('remote')
    expect(findRefusal('http://localhost:5173/', {}, devSocket)).toBe('remote')
  })

  test.each<[string, Partial<Request>, 'foreign' | null]>([
    ['an image of the page', {}, null],
    ['a player of the page', { resourceType: 'media' }, null],
    ['another window', { webContentsId: 8 }, 'foreign'],
    ['nobody', { webContentsId: undefined as never }, 'foreign'],
    ['a frame inside the page', { frame: panelFrame }, 'foreign'],
    ['a frame that is gone', { frame: null }, 'foreign'],
    ['a document', { resourceType: 'mainFrame' }, 'foreign'],
    ['a frame', { resourceType: 'subFrame' }, 'foreign'],
    ['a script', { resourceType: 'script' }, 'foreign'],
    ['a style', { resourceType: 'stylesheet' }, 'foreign'],
    ['a call', { resourceType: 'xhr' }, 'foreign'],
    ['an object', { resourceType: 'object' }, 'foreign'],
  ])('safety 18, safety 19: to contents of the host are decided for %s', (_name, request, refusal) => {
    const url = 'bridge-content://bridge-inspector/x'
    expect(findRefusal(url, { resourceType: 'image', frame: ownFrame, ...request })).toBe(refusal)
  })

  test('safety 58: that bypass the request filter end at a proxy that does not exist, loopback included', async () => {
    const contents = new FakeContents()
    const applied: unknown[] = []
    const cancelled: unknown[] = []
    const { note, lines } = notes()
    const session = {
      setProxy: (rules: object) => Promise.resolve(void applied.push(rules)),
      webRequest: {
        onBeforeRequest: (listener: (request: object, respond: (decision: unknown) => void) => void) =>
          listener({ url: 'https://example.org/', resourceType: 'image' }, (decision) => cancelled.push(decision)),
      },
    }
    const setWebRTCIPHandlingPolicy = (policy: string): void => void applied.push(policy)
    Object.assign(contents, { session, setWebRTCIPHandlingPolicy })
    await isolateWindow({ contents: contents.electron, panelPort: 4711, devSocket: undefined, log: note })
    const proxyRules = 'http://127.0.0.1:1'
    expect(applied).toEqual([
      'disable_non_proxied_udp',
      { proxyRules, proxyBypassRules: '<-loopback>;*.localhost:4711' },
    ])
    expect(cancelled).toEqual([{ cancel: true }])
    expect(lines).toEqual(['request refused {"reason":"remote","type":"image"}'])
    expect(createBlockingProxy(4711, 'ws://localhost:5173').proxyBypassRules).toBe(
      '<-loopback>;*.localhost:4711;localhost:5173',
    )
  })
})

describe('safety 32: the process of a panel', () => {
  test('is ended once its frame had time to go, and that of our page never', async () => {
    const panel = spawn(process.execPath, ['-e', 'for (;;);'])
    const processId = panel.pid ?? 0
    const disposedFrame = {
      get osProcessId(): number {
        throw new Error('Render frame was disposed.')
      },
    }
    const frames = [{ osProcessId: process.pid }, disposedFrame, { osProcessId: 0 }, { osProcessId: processId }]
    const window = { isDestroyed: () => false, webContents: { mainFrame: { osProcessId: process.pid, frames } } }
    const getAppMetrics = () => [
      { pid: process.pid, memory: { workingSetSize: 1 } },
      { pid: processId, memory: { workingSetSize: 2_000 } },
    ]
    const panelProcess = createPanelProcess({ getAppMetrics } as never, () => window as never, false)
    expect(panelProcess.getMemory()).toBe(2_048_000)
    const ended = once(panel, 'exit')
    panelProcess.end()
    expect((await ended)[1]).toBe('SIGKILL')
  })

  test('is none without a window', () => {
    const panelProcess = createPanelProcess({ getAppMetrics: () => [] }, () => null, false)
    panelProcess.end()
    expect(panelProcess.getMemory()).toBeNull()
  })
})
