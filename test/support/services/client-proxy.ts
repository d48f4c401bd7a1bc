import type http from 'node:http'
import { createBridgeClient } from '../../../electron/services/bridge/client/client.ts'
import type { BridgeTarget } from '../../../electron/services/bridge/types.ts'
import { createBreakpoints } from '../../../electron/services/breakpoints/breakpoints.ts'
import { createBus } from '../../../electron/services/bus.ts'
import type { NewNotice } from '../../../electron/services/notices.ts'
import { createClientProxy } from '../../../electron/services/client-proxy/client-proxy.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import type { ConnectionState } from '../../../shared/ipc/connection.ts'
import { createTarget, testLimits, TOKEN } from './test-client.ts'
import { sendRawRequest, buildRequestText } from '../browser/raw-http.ts'
import { startHttpServer, createListeningRecorder, type LoopbackServer } from './relay.ts'

/**
 * Starts a client proxy of a host that responds by `serve` and keeps its requests. Resources to
 * close are added to `closing`.
 */
export async function startClientProxy(
  closing: (() => unknown)[],
  serve: http.RequestListener = (_, response) => void response.end('ok'),
  locked = true,
) {
  const requests: { method: string; url: string; headers: http.IncomingHttpHeaders }[] = []
  const host: LoopbackServer = await startHttpServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
    serve(request, response)
  })
  closing.push(() => host.close())
  let target: BridgeTarget | null = createTarget(host.baseUrl, { isReadOnly: locked })
  const bus = createBus()
  const recorder = createListeningRecorder()
  const notices: NewNotice[] = []
  const breakpoints = createBreakpoints({
    bus,
    holdsToken: (text) => text.includes(TOKEN),
    recorder: { recordHold: () => () => undefined },
    checkHost: () => Promise.resolve(),
  })
  closing.push(() => breakpoints.close())
  const clientProxy = createClientProxy({
    breakpoints,
    recorder,
    client: createBridgeClient({ recorder, limits: () => testLimits }),
    bus,
    notices: { add: (notice) => void notices.push(notice) },
    conceal: (text) => text.replaceAll(TOKEN, '[redacted]'),
    connection: {
      capabilities: () => null,
      state: () => ({ profile: target && { baseUrl: target.baseUrl } }) as unknown as ConnectionState,
      target() {
        if (target === null) throw createRefusedError('NOT_CONNECTED', 'Not connected.')
        return target
      },
    },
    limits: { maxStrangers: 4 },
  })
  closing.push(() => clientProxy.stop())
  const { baseUrl, key } = await clientProxy.start({})
  const port = Number(new URL(baseUrl ?? '').port)
  return {
    clientProxy,
    breakpoints,
    recorder,
    notices,
    requests,
    port,
    key: key ?? '',
    host,
    setTarget(next: BridgeTarget | null) {
      target = next
      bus.publish('connection.changed', { profile: null } as unknown as ConnectionState)
    },
    /** Sends exactly these header lines after a valid `Host`. */
    sendRequest: (
      method: string,
      path: string,
      lines: readonly string[] = [`Authorization: Bearer ${key}`],
      body = '',
    ) => sendRawRequest(port, buildRequestText(method, path, [`Host: 127.0.0.1:${port}`, ...lines], body)),
  }
}
