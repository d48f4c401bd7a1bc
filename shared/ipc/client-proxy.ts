import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})

/** A listener that forwards and records other clients' requests until the host changes. */
const clientProxyStateSchema = z.strictObject({
  on: z.boolean(),
  /** URL for clients, without the key: `http://127.0.0.1:41234/bridge/v1`. Null while off. */
  baseUrl: z.string().nullable(),
  /** Opens only this listener and is never the host's token. Null while the listener is off. */
  key: z.string().nullable(),
  startedAt: z.number().nullable(),
  /** Number of requests forwarded since the start. */
  passed: z.number().int().nonnegative(),
  /** Refused for a wrong key, a foreign `Host` or `Origin`, or a write while writing is locked. */
  refused: z.number().int().nonnegative(),
  /** Those of them that were refused because writing is locked. */
  locked: z.number().int().nonnegative(),
  lastAt: z.number().nullable(),
  /** The origin under which the next exchanges are recorded. */
  label: z.string().max(100),
})
export type ClientProxyState = z.infer<typeof clientProxyStateSchema>

export const clientProxyMethods = {
  'clientProxy.get': defineQueryMethod(emptySchema, clientProxyStateSchema),
  /** Without a port, any free port is used. @throws PORT_TAKEN, PORT_FORBIDDEN */
  'clientProxy.start': defineCommandMethod(
    z.strictObject({ port: z.number().int().min(0).max(65535).optional(), label: z.string().max(100).optional() }),
    clientProxyStateSchema,
  ),
  /** Names requests from now on. If it is empty, the client's `User-Agent` is used. */
  'clientProxy.name': defineCommandMethod(z.strictObject({ label: z.string().max(100) }), clientProxyStateSchema),
  'clientProxy.stop': defineCommandMethod(emptySchema, clientProxyStateSchema),
}

export const clientProxyTopics = {
  'clientProxy.changed': defineTopic(clientProxyStateSchema),
}
