import { randomUUID } from 'node:crypto'
import { createCancelledError, createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { decodeResponseText } from '../../core/panel/host-api.ts'
import { toResolvedValue } from './call/panel-calls.ts'
import type { RunOptions } from './panel-run.ts'
import { API_PREFIX, VIA_HEADER } from './call/page-call.ts'
import { createCallHandler } from './policy/call-handler.ts'
import { forwardPanelRead } from './policy/panel-read.ts'
import { forwardPanelWrite } from './policy/panel-write.ts'

/** Makes one call with the rights of a plugin's panel. Errors are those of `panel.callAs`. */
export type PanelCaller = (call: IpcInput<'panel.callAs'>, signal: AbortSignal) => Promise<IpcOutput<'panel.callAs'>>

interface Options extends Pick<
  RunOptions,
  'rules' | 'calls' | 'asks' | 'relay' | 'operations' | 'uploads' | 'recorder' | 'getConnectedHost'
> {
  /** Removes every known token from a text, because a request must not contain one. */
  readonly conceal: (text: string) => string
}

/** Takes the place of the panel's origin; no request is sent to this address. */
const ORIGIN = 'http://panel.invalid'
/** Maximum bytes of a response, about ten times the largest pages of listings. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/** Calls without a page under the policy for panels: the allow list, and approval of writes. */
export function createPanelCaller({ conceal, rules, calls, asks, ...handlerOptions }: Options): PanelCaller {
  return async ({ pluginId, method, path, body }, signal) => {
    const url = new URL(`${ORIGIN}${API_PREFIX}${path}`)
    if (!url.pathname.startsWith(`${API_PREFIX}/`))
      throw createRefusedError('PATH_OUTSIDE', 'The path leads out of the base URL. Nothing was sent.')
    if (body !== null && (method === 'GET' || method === 'HEAD'))
      throw createRefusedError('BODY_NOT_HERE', `A page can’t send a body with ${method}. Nothing was sent.`)
    const text = `${path}\n${body ?? ''}`
    if (conceal(text) !== text)
      throw createRefusedError('TOKEN_IN_REQUEST', 'The request contains the token. Nothing was sent.')
    await rules.refresh()
    let exchangeId: string | null = null
    const origin = { kind: 'panel', label: pluginId, caller: randomUUID(), load: 1 } as const
    const handleCall = createCallHandler({
      ...handlerOptions,
      getAllowList: () => ({ mode: 'host', mine: [], ...rules.getAllowList() }),
      getWrites: () => 'ask',
      getOrigin: () => origin,
      breakpoints: null,
      overrides: { findRule: () => Promise.resolve(null), respond: () => Promise.resolve({ kind: 'broken' }) },
      read: (allowedCall) => forwardPanelRead(handlerOptions.relay, allowedCall),
      write: (allowedCall, writeMode) =>
        forwardPanelWrite({ ...handlerOptions, asks, getPluginId: () => pluginId }, allowedCall, writeMode),
      calls: {
        recordCall(startedCall) {
          exchangeId = startedCall.exchangeId
          calls.recordCall(startedCall)
        },
        recordResponse: (id, panelResponse) => calls.recordResponse(id, panelResponse),
      },
    })
    const headers = { [VIA_HEADER]: 'host.api', ...(body === null ? {} : { 'Content-Type': 'application/json' }) }
    const response = await handleCall(new Request(url, { method, headers, body, signal }), signal)
    const { received, cut } = await collectBody(response.body)
    const call = exchangeId === null ? null : calls.get(exchangeId)
    if (call === null) throw createCancelledError()
    if (cut) return { meta: { call, cut, isFailure: !response.ok }, bytes: new Uint8Array(received).buffer }
    const isBroken = response.type === 'error' || call.answer?.broken === true
    const { meta, bytes } = toResolvedValue(
      isBroken ? 'broken' : { status: response.status, text: decodeResponseText(received) },
    )
    return { meta: { call, cut, ...meta }, bytes }
  }
}

/** The bytes that arrived, even of an interrupted response; the recorded call says so. */
async function collectBody(stream: Response['body']): Promise<{ received: Buffer; cut: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of stream ?? []) {
      size += piece.byteLength
      if (size > MAX_RESPONSE_BYTES) break
      pieces.push(piece)
    }
  } catch {
    // The host closed the connection, or the caller cancelled.
  }
  return { received: Buffer.concat(pieces), cut: size > MAX_RESPONSE_BYTES }
}
