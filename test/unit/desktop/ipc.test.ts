import { describe, expect, test } from 'vitest'
import { serveIpc } from '../../../electron/desktop/ipc.ts'
import * as channels from '../../../electron/desktop/channels.ts'
import { ipcMethods } from '../../../shared/ipc/index.ts'
import { FakeContents, FakeDoor, FakeIpcMain, notes, type FakeFrame } from './fakes.ts'

function setUp() {
  const [ipcMain, contents, door, log] = [new FakeIpcMain(), new FakeContents(), new FakeDoor(), notes()]
  serveIpc({
    ipcMain: ipcMain.electron,
    contents: contents.electron,
    dispatcher: door,
    log: log.note,
  })
  const createOwnEvent = () => ({ sender: contents, senderFrame: contents.mainFrame })
  const call = (event: unknown, request: unknown) => ipcMain.handlers.get(channels.CALL_CHANNEL)?.(event, request)
  const cancel = (event: unknown, id: unknown) => ipcMain.listeners.get(channels.CANCEL_CHANNEL)?.(event, id)
  return { ipcMain, contents, door, log, createOwnEvent, call, cancel }
}

const frame = (change: Partial<FakeFrame> = {}): FakeFrame => ({
  parent: null,
  origin: 'app://bridge-inspector',
  url: 'app://bridge-inspector/',
  ...change,
})

/** Each takes the right sender and makes one thing about it wrong. */
const forgeries: Record<string, (contents: FakeContents) => unknown> = {
  'no frame (it navigated away)': (contents) => ({ sender: contents, senderFrame: null }),
  'undefined frame': (contents) => ({ sender: contents }),
  'another web contents': () => ({ sender: new FakeContents(), senderFrame: frame() }),
  'another web contents with our frame': (contents) => ({
    sender: new FakeContents(),
    senderFrame: contents.mainFrame,
  }),
  'a frame inside the page': (contents) => ({ sender: contents, senderFrame: frame({ parent: contents.mainFrame }) }),
  'a frame that only looks like ours': (contents) => ({ sender: contents, senderFrame: frame() }),
  'a destroyed window': (contents) => {
    contents.destroyed = true
    return { sender: contents, senderFrame: contents.mainFrame }
  },
  'a disposed frame that throws': (contents) => {
    Object.defineProperty(contents.mainFrame, 'origin', {
      get: () => {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed')
      },
    })
    return { sender: contents, senderFrame: contents.mainFrame }
  },
  ...Object.fromEntries(
    [
      ['null', 'app://bridge-inspector/'],
      ['', 'app://bridge-inspector/'],
      ['https://bridge-inspector', 'https://bridge-inspector/'],
      ['file://', 'file:///app/index.html'],
      ['app://bridge-inspector.evil', 'app://bridge-inspector.evil/'],
      ['app://evil', 'app://evil/app://bridge-inspector/'],
      ['app://bridge-inspector:1', 'app://bridge-inspector:1/'],
      ['http://127.0.0.1:5173', 'http://127.0.0.1:5173/'],
      ['app://bridge-inspector', 'about:blank'],
      ['app://bridge-inspector', 'data:text/html,x'],
      ['app://bridge-inspector', 'https://evil.example/'],
      ['app://bridge-inspector', 'app://user@bridge-inspector/'],
    ].map(([origin = '', url = '']) => [
      `our main frame, origin "${origin}" at ${url}`,
      (contents: FakeContents) => {
        Object.assign(contents.mainFrame, { origin, url })
        return { sender: contents, senderFrame: contents.mainFrame }
      },
    ]),
  ),
}

describe('IPC senders', () => {
  test('safety 8: can use only the listed channels', () => {
    const { ipcMain } = setUp()
    expect([...ipcMain.handlers.keys()]).toEqual([channels.CALL_CHANNEL])
    expect([...ipcMain.listeners.keys()]).toEqual([channels.CANCEL_CHANNEL])
    expect(Object.values(channels).sort()).toEqual(
      [channels.CALL_CHANNEL, channels.CANCEL_CHANNEL, channels.EVENT_CHANNEL].sort(),
    )
  })

  test('are accepted if they are the page itself', async () => {
    const { door, createOwnEvent, call, cancel } = setUp()
    const request = { id: 'a', method: 'app.info', input: {} }
    expect(await call(createOwnEvent(), request)).toEqual({ ok: true, value: true })
    expect(door.calls).toEqual([{ caller: 'desktop/7/0', request }])
    cancel(createOwnEvent(), 'a')
    expect(door.cancelled).toEqual([{ caller: 'desktop/7/0', id: 'a' }])
  })

  for (const [name, forge] of Object.entries(forgeries)) {
    test(`safety 8: are refused and logged on every channel and method: ${name}`, async () => {
      for (const method of Object.keys(ipcMethods)) {
        const { contents, door, log, call } = setUp()
        const reply = await call(forge(contents), { id: 'a', method, input: { token: 'mnb0.secret' } })
        expect(reply).toMatchObject({ ok: false, error: { kind: 'refused', code: 'SENDER_REFUSED' } })
        expect(door.calls).toEqual([])
        expect(log.lines).toHaveLength(1)
        expect(log.lines[0]).toContain('call refused')
        expect(log.lines[0]).not.toContain('secret')
      }
      const { contents, door, log, cancel } = setUp()
      cancel(forge(contents), 'a')
      expect(door.cancelled).toEqual([])
      expect(log.lines).toHaveLength(1)
    })
  }
})

describe('the lifetime of an IPC caller', () => {
  test('safety 11: ends with a new document, a dead process or a closed window, together with its calls', async () => {
    const { contents, door, createOwnEvent, call } = setUp()
    contents.emit('did-navigate', {})
    contents.emit('render-process-gone', {}, { reason: 'crashed' })
    await call(createOwnEvent(), {})
    contents.emit('destroyed')
    expect(door.left).toEqual(['desktop/7/0', 'desktop/7/1', 'desktop/7/2'])
    expect(door.calls.map(({ caller }) => caller)).toEqual(['desktop/7/2'])
  })

  test('does not end with a refused or in-page navigation', () => {
    const { contents, door } = setUp()
    contents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false })
    contents.emit('did-navigate-in-page', {})
    expect(door.left).toEqual([])
  })

  test('receives pushes while the page lives, and none afterwards', () => {
    const { contents, door } = setUp()
    const event = { topic: 'app.notice', payload: { id: '1' } }
    door.publish(event)
    contents.crashed = true
    door.publish(event)
    contents.crashed = false
    contents.emit('destroyed')
    door.publish(event)
    expect(contents.sentRequests).toEqual([[channels.EVENT_CHANNEL, event]])
    expect(door.listeners.size).toBe(0)
  })
})
