import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import { assertPlaceholdersFilled } from '../../../shared/bridge/endpoints/path-template.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { isReadRequest, parseJsonOr } from '../bridge/client/access-check.ts'
import { resolveRelayedRow } from '../bridge/client/request-row.ts'
import type { BridgeClient, BridgeRequest, BridgeTarget } from '../bridge/types.ts'

interface ConsoleRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
  readonly signal: AbortSignal
  /** Removes every known token from a text, because a request must not contain one. */
  readonly conceal: (text: string) => string
}

/**
 * Sends a request that only reads, and resolves with the id of its exchange.
 * @throws NOT_A_READ for every request that may write; PARAM_MISSING for a placeholder without a
 *   value; PATH_OUTSIDE for a path that a URL would change; BODY_NOT_JSON, TOKEN_IN_REQUEST and the
 *   errors of the client.
 */
export async function sendConsoleRead(
  client: BridgeClient,
  target: BridgeTarget,
  capabilities: Capabilities | null,
  { method, path, body, headers = [], signal, conceal }: ConsoleRequest,
): Promise<string> {
  const text = `${path}\n${headers.flat().join('\n')}\n${body ?? ''}`
  if (conceal(text) !== text)
    throw createRefusedError('TOKEN_IN_REQUEST', 'The request contains the token. The host was not asked.')
  assertPlaceholdersFilled(path)
  assertPathUnchanged(target.baseUrl, path)
  const endpoint = resolveRelayedRow(method, path, target, capabilities)
  const request: BridgeRequest = {
    endpoint,
    ...(method === 'HEAD' ? { method } : {}),
    rawPath: path,
    origin: { kind: 'console', label: null },
    headers,
    signal,
  }
  const parsedBody = body === null ? undefined : parseBody(body, `${method} ${path}`)
  // `null` if two parsers could read the body differently, such as with a repeated name.
  const judgedBody = body === null ? undefined : parseJsonOr(Buffer.from(body), null)
  const bodyFields = body === null ? {} : { body: parsedBody, bodyText: body }
  if (!isReadRequest(endpoint, { body: judgedBody, bodyText: body, rawPath: path, headers })) {
    const name = `${method} ${path.split('?', 1)[0]}`
    throw createRefusedError('NOT_A_READ', `${name} may change something and cannot be sent as a read.`, {
      endpoint: name,
    })
  }
  return client.requestExchangeId(target, { ...request, ...bodyFields })
}

/** @throws PATH_OUTSIDE for a path that a URL would change (dots, backslashes, spaces) */
function assertPathUnchanged(baseUrl: string, path: string): void {
  const base = new URL(baseUrl)
  const isSame =
    URL.canParse(baseUrl + path) && new URL(baseUrl + path).href === `${base.origin}${base.pathname}${path}`
  const segments = (path.split('?', 1)[0] ?? '').split('/').slice(1)
  const hasDotSegment = segments.some((segment) => segment === '' || /^(?:\.|%2e){1,2}$/i.test(segment))
  if (!path.startsWith('/') || path.includes('#') || !isSame || hasDotSegment) {
    throw createRefusedError('PATH_OUTSIDE', 'The path must begin with / and be written as it will be sent.', {
      endpoint: path.slice(0, 200),
    })
  }
}

function parseBody(body: string, endpoint: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw createRefusedError('BODY_NOT_JSON', 'The body is not JSON.', { endpoint })
  }
}
