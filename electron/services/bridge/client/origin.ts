import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { BridgeClient } from '../types.ts'

/** Of what the connection itself needs to know. */
export const ownOrigin: Origin = { kind: 'connection', label: null }

/** A client for one cause: its requests name `origin`, unless they name another one themselves. */
export function causedBy(client: BridgeClient, origin: Origin): BridgeClient {
  return {
    request: (target, request) => client.request(target, { origin, ...request }),
    requestJson: (target, request) => client.requestJson(target, { origin, ...request }),
    stream: (target, request) => client.stream(target, { origin, ...request }),
    once: (target, request) => client.once(target, { origin, ...request }),
    ask: (target, request) => client.ask(target, { origin, ...request }),
    relay: (target, request) => client.relay(target, request),
    describe: (target, request) => client.describe(target, request),
    close: () => client.close(),
  }
}
