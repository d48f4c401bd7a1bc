import { startBrowserHost } from '../../electron/browser-host/index.ts'
import { createDispatcher } from '../../electron/handlers/dispatcher.ts'
import type { IpcDispatcher, Handlers } from '../../electron/handlers/app-ports.ts'
import { createListingReader } from '../../electron/handlers/listing-reader.ts'
import type { Transport } from '../../renderer/transport/transport.ts'
import { ipcMethods } from '../../shared/ipc/index.ts'
import type { EventMessage } from '../../shared/ipc/method-definition.ts'
import { respondNotFound } from '../support/browser/browser-host-session.ts'
import { openTab } from '../support/browser/tab.ts'

/** One of the two transports, connected to a dispatcher with the handlers of a test. */
export interface TestTransport {
  readonly transport: Transport
  publish(event: EventMessage): void
  close(): Promise<void>
}

export type OwnHandlers = Partial<
  Record<keyof Handlers, (input: never, context: { signal: AbortSignal; caller: string }) => unknown>
>

const nobody = (): void => undefined
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

function doorWith(handlers: OwnHandlers): { door: IpcDispatcher; publish: TestTransport['publish'] } {
  const all = Object.fromEntries(Object.keys(ipcMethods).map((name) => [name, () => ({ called: name })]))
  const dispatch = createDispatcher({ ...all, ...handlers } as unknown as Handlers, silent)
  const listeners = new Set<(event: EventMessage) => void>()
  const publish = (event: EventMessage): void => listeners.forEach((listener) => listener(event))
  const listing = createListingReader(dispatch, nobody)
  return {
    door: {
      ...dispatch,
      readListing: listing,
      findCaller: () => null,
      subscribe(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    publish,
  }
}

export const clonedIpc = (handlers: OwnHandlers): Promise<TestTransport> => clonedIpcTo(doorWith(handlers))
export const overHttp = (handlers: OwnHandlers): Promise<TestTransport> => overHttpTo(doorWith(handlers))

interface Behind {
  readonly door: IpcDispatcher
  readonly publish?: TestTransport['publish']
}
/** Simulates Electron's transport, which clones every message in both directions. */
export async function clonedIpcTo({ door, publish = nobody }: Behind): Promise<TestTransport> {
  const bridgeInspector = {
    call: async (request: unknown) => structuredClone(await door.call('desktop/1/0', structuredClone(request))),
    cancel: (id: unknown) => door.cancel('desktop/1/0', structuredClone(id)),
    listen: (listener: (event: EventMessage) => void) => door.subscribe((event) => listener(structuredClone(event))),
  }
  Object.defineProperty(globalThis, 'window', { value: { bridgeInspector }, configurable: true })
  const { transport: host } = await import('../../renderer/transport/index.ts')
  return {
    transport: host as Transport,
    publish,
    async close() {
      door.removeCaller('desktop/1/0')
      Reflect.deleteProperty(globalThis, 'window')
    },
  }
}

/** Starts a real browser host, and loads the HTTP transport that the page uses. */
export async function overHttpTo({ door, publish = nobody }: Behind): Promise<TestTransport> {
  const server = await startBrowserHost({
    dispatcher: door,
    contentReader: respondNotFound,
    port: 0,
    assets: async () => undefined,
  })
  const tab = await openTab(server.url)
  return {
    transport: tab.transport,
    publish,
    async close() {
      tab.close()
      await server.close()
    },
  }
}
