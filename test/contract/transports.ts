import { startBrowserHost } from '../../electron/browser-host/index.ts'
import { createDispatch } from '../../electron/handlers/dispatch.ts'
import type { Door, Handlers } from '../../electron/handlers/door.ts'
import { createListing } from '../../electron/handlers/listing.ts'
import { createBus } from '../../electron/services/bus.ts'
import type { Host } from '../../renderer/host/types.ts'
import { methods } from '../../shared/ipc/index.ts'
import type { EventMessage } from '../../shared/ipc/define.ts'
import { noContent } from '../support/browser/browser-host.ts'
import { openTab } from '../support/browser/tab.ts'

/** The page's outside world over one of the two transports, each in front of a door with these handlers. */
export interface Transport {
  readonly host: Host
  publish(event: EventMessage): void
  close(): Promise<void>
}

export type OwnHandlers = Partial<
  Record<keyof Handlers, (input: never, context: { signal: AbortSignal; caller: string }) => unknown>
>

const nobody = (): void => undefined
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

function doorWith(own: OwnHandlers): { door: Door; publish: Transport['publish'] } {
  const all = Object.fromEntries(Object.keys(methods).map((name) => [name, () => ({ called: name })]))
  const dispatch = createDispatch({ ...all, ...own } as unknown as Handlers, silent)
  const bus = createBus()
  const publish = (event: EventMessage): void => bus.publish(event.topic as never, event.payload as never)
  const listing = createListing(dispatch, nobody)
  return { door: { ...dispatch, listing, subscribe: (listener) => bus.subscribe(listener) }, publish }
}

export const clonedIpc = (own: OwnHandlers): Promise<Transport> => clonedIpcTo(doorWith(own))
export const overHttp = (own: OwnHandlers): Promise<Transport> => overHttpTo(doorWith(own))

interface Behind {
  readonly door: Door
  readonly publish?: Transport['publish']
}
/** Electron's transport: everything is cloned in both directions, and nothing else happens to it. */
export async function clonedIpcTo({ door, publish = nobody }: Behind): Promise<Transport> {
  const bridgeInspector = {
    call: async (request: unknown) => structuredClone(await door.call('desktop/1/0', structuredClone(request))),
    cancel: (id: unknown) => door.cancel('desktop/1/0', structuredClone(id)),
    listen: (listener: (event: EventMessage) => void) => door.subscribe((event) => listener(structuredClone(event))),
  }
  Object.defineProperty(globalThis, 'window', { value: { bridgeInspector }, configurable: true })
  const { host } = await import('../../renderer/host/index.ts')
  return {
    host: host as Host,
    publish,
    async close() {
      door.leave('desktop/1/0')
      Reflect.deleteProperty(globalThis, 'window')
    },
  }
}

/** The browser host's transport: a real server, and the module the page uses. */
export async function overHttpTo({ door, publish = nobody }: Behind): Promise<Transport> {
  const server = await startBrowserHost({ door, content: noContent, port: 0, assets: async () => undefined })
  const tab = await openTab(server.url)
  return {
    host: tab.host,
    publish,
    async close() {
      tab.close()
      await server.close()
    },
  }
}
