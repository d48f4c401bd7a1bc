import { EventEmitter } from 'node:events'
import type { App, IpcMain, Session, WebContents } from 'electron'
import type { ListingPage } from '../../../electron/handlers/app-ports.ts'
import type { EventMessage, CallReply } from '../../../shared/ipc/method-definition.ts'

/**
 * Electron's own objects, reduced to what our modules use: the edge of the process, nothing of
 * ours.
 */
export interface FakeFrame {
  parent: FakeFrame | null
  origin: string
  url: string
}

export class FakeContents extends EventEmitter {
  id = 7
  destroyed = false
  crashed = false
  devTools = false
  forced = 0
  sentRequests: unknown[][] = []
  /** What the page answers; by default it hangs. */
  evaluate = (): Promise<unknown> => new Promise(() => undefined)
  mainFrame: FakeFrame & { executeJavaScript?: () => Promise<unknown> } = {
    parent: null,
    origin: 'app://bridge-inspector',
    url: 'app://bridge-inspector/#/library',
    executeJavaScript: () => this.evaluate(),
  }
  openHandler: ((details: { url: string }) => { action: string }) | null = null

  isDestroyed = (): boolean => this.destroyed
  isCrashed = (): boolean => this.crashed
  isDevToolsOpened = (): boolean => this.devTools
  send = (...args: unknown[]): void => void this.sentRequests.push(args)
  setWindowOpenHandler = (handler: (details: { url: string }) => { action: string }): void => {
    this.openHandler = handler
  }
  forcefullyCrashRenderer = (): void => {
    this.forced += 1
    this.emit('render-process-gone', {}, { reason: 'crashed' })
  }

  get electron(): WebContents {
    return this as unknown as WebContents
  }
}

type Listener = (event: unknown, ...args: unknown[]) => unknown

export class FakeIpcMain {
  readonly handlers = new Map<string, Listener>()
  readonly listeners = new Map<string, Listener>()
  handle = (channel: string, listener: Listener): void => void this.handlers.set(channel, listener)
  on = (channel: string, listener: Listener): this => {
    this.listeners.set(channel, listener)
    return this
  }

  get electron(): IpcMain {
    return this as unknown as IpcMain
  }
}

/** A door that records its callers and returns `true`. */
export class FakeDoor {
  readonly calls: { caller: string; request: unknown }[] = []
  readonly cancelled: { caller: string; id: unknown }[] = []
  readonly left: string[] = []
  readonly listeners = new Set<(event: EventMessage) => void>()
  reply: CallReply = { ok: true, value: true }

  call = (caller: string, request: unknown): Promise<CallReply> => {
    this.calls.push({ caller, request })
    return Promise.resolve(this.reply)
  }
  async *readListing(): AsyncGenerator<ListingPage> {}
  cancel = (caller: string, id: unknown): void => void this.cancelled.push({ caller, id })
  findCaller = (): string | null => null
  removeCaller = (caller: string): void => void this.left.push(caller)
  subscribe = (listener: (event: EventMessage) => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
  publish(event: EventMessage): void {
    for (const listener of this.listeners) listener(event)
  }
}

export class FakeApp extends EventEmitter {
  lock = true
  startData: unknown = null
  requestSingleInstanceLock = (data?: unknown): boolean => {
    this.startData = data
    return this.lock
  }

  get electron(): App {
    return this as unknown as App
  }
}

/** A session that keeps the handlers it was given, by the setter's name. */
export function fakeSession(): {
  session: Session
  handlers: Record<string, (...args: never[]) => unknown>
  bus: EventEmitter
} {
  const handlers: Record<string, (...args: never[]) => unknown> = {}
  const bus = new EventEmitter()
  const session = new Proxy(bus, {
    get(target, name) {
      if (typeof name === 'string' && name.startsWith('set') && name.endsWith('Handler')) {
        return (handler: (...args: never[]) => unknown) => {
          handlers[name] = handler
        }
      }
      return Reflect.get(target, name) as unknown
    },
  })
  return { session: session as unknown as Session, handlers, bus }
}

/** Collects what the rules report. */
export function notes(): { note: (message: string, facts: object) => void; lines: string[] } {
  const lines: string[] = []
  return { lines, note: (message, facts) => void lines.push(`${message} ${JSON.stringify(facts)}`) }
}
