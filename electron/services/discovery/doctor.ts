import net from 'node:net'
import { AppError, createCancelledError } from '../../../shared/errors.ts'
import { doctorSteps, type DoctorStep } from '../../../shared/ipc/connection.ts'
import type { TokenStatus } from '../../../shared/ipc/profiles.ts'
import { toSocketError } from '../bridge/wire/wire-errors.ts'
import { hasBridgeMark, probeHost, readCapabilities } from '../bridge/connection/probe.ts'
import { CertificateError } from '../bridge/wire/certificate.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import { isUnencryptedRemote, normaliseBaseUrl } from '../profiles/base-url.ts'

type Finding = Pick<DoctorStep, 'result' | 'code' | 'message' | 'action'> & Partial<Pick<DoctorStep, 'params'>>

const createPassed = (code: string, message: string): Finding => ({ result: 'ok', code, message, action: '' })
const createFailed = (code: string, message: string, action: string): Finding => ({
  result: 'failed',
  code,
  message,
  action,
})

/**
 * Checks each step from the address to the capabilities, and reports which step fails and what to
 * do about it. Steps after a failure are `skipped`. Sends the token only to the origin to which it
 * is bound.
 */
export async function diagnoseConnection(
  client: BridgeClient,
  target: BridgeTarget,
  tokenStatus: TokenStatus,
  signal: AbortSignal,
): Promise<DoctorStep[]> {
  const steps: Record<DoctorStep['step'], () => Promise<Finding> | Finding> = {
    address: () => checkAddress(target),
    tcp: () => tcp(target, signal),
    tls: () => tls(client, target, signal),
    path: () => path(client, target, signal),
    token: () => token(client, target, tokenStatus, signal),
    capabilities: () => capabilities(client, target, signal),
  }
  const report: DoctorStep[] = []
  let hasFailed = false
  for (const step of doctorSteps) {
    if (signal.aborted) throw createCancelledError()
    const startedAt = performance.now()
    const finding: Finding = hasFailed
      ? {
          result: 'skipped',
          code: 'SKIPPED',
          message: 'Not tried, because an earlier step failed.',
          action: '',
        }
      : await steps[step]()
    hasFailed ||= finding.result === 'failed'
    report.push({ step, ...finding, durationMs: performance.now() - startedAt })
  }
  if (signal.aborted) throw createCancelledError()
  return report
}

function checkAddress({ baseUrl }: BridgeTarget): Finding {
  try {
    normaliseBaseUrl(baseUrl)
  } catch (error) {
    return createFailed('ADDRESS_BAD', toMessage(error), 'Correct the address in the profile.')
  }
  if (isUnencryptedRemote(baseUrl)) {
    return {
      result: 'warning',
      code: 'ADDRESS_PLAIN',
      message: 'Plain http to another machine: anyone on the network can read the token.',
      action: 'Use this only on a network you trust.',
    }
  }
  return createPassed('ADDRESS_OK', 'The address is well formed.')
}

function tcp({ baseUrl }: BridgeTarget, signal: AbortSignal): Promise<Finding> {
  const url = new URL(baseUrl)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return new Promise((resolve) => {
    const socket = net.connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, signal })
    socket.setTimeout(3_000)
    const finish = (finding: Finding): void => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('connect', () => finish(createPassed('TCP_OK', `Something is listening at ${url.host}.`)))
    socket.once('timeout', () =>
      finish(
        createFailed(
          'TCP_TIMEOUT',
          `${url.host} did not answer within 3 s.`,
          'Check the address, the network and any firewall.',
        ),
      ),
    )
    socket.once('error', (error) => finish(toUnreachableFinding(toSocketError(error, url.host))))
  })
}

function toUnreachableFinding({ code, message }: AppError): Finding {
  if (code === 'DNS_UNKNOWN') return createFailed('TCP_DNS', message, 'Check the name in the address, and the network.')
  const isRefused = code === 'CONNECTION_REFUSED'
  return createFailed(
    isRefused ? 'TCP_REFUSED' : 'TCP_FAILED',
    message,
    'Start the host, turn on its bridge, and check the port.',
  )
}

async function tls(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<Finding> {
  if (target.baseUrl.startsWith('http:'))
    return createPassed('TLS_NONE', 'Plain http: there is no certificate to check.')
  try {
    await probeHost(client, { ...target, token: null }, signal)
  } catch (error) {
    if (error instanceof CertificateError) {
      return createFailed(
        'TLS_BAD',
        error.message,
        'Compare the fingerprint with the one the host shows and accept it, or do not connect.',
      )
    }
    // The connection timed out during the TLS handshake, because the TCP check has just succeeded.
    if (error instanceof AppError && (error.kind === 'offline' || error.code === 'TIMEOUT_CONNECT')) {
      return createFailed('TLS_FAILED', error.message, 'Check whether the host speaks https on this port.')
    }
  }
  return createPassed('TLS_OK', 'The certificate is trusted, or you have accepted it.')
}

const NO_BRIDGE = 'No bridge answers at this path.'
const CHECK_PATH = 'Check the path: it usually ends with /bridge/v1. Is another program using this port?'

async function path(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<Finding> {
  try {
    const probe = await probeHost(client, { ...target, token: null }, signal)
    if (!hasBridgeMark(probe)) return createFailed('PATH_BAD', NO_BRIDGE, CHECK_PATH)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { status, code, kind, params, message } = error.wire
    if (status === 401) return createPassed('PATH_OK', 'A bridge answers at this path.')
    if (code === 'REDIRECT_REFUSED') {
      const host = String(params?.['host'] ?? '')
      return {
        ...createFailed('PATH_REDIRECT', message, 'If you trust the address it points to, enter that one.'),
        params: { host },
      }
    }
    if (kind === 'timeout') {
      return createFailed(
        'PATH_SILENT',
        message,
        'The host may be busy, or another program may be using this port. Restart the host.',
      )
    }
    return createFailed('PATH_BAD', message || NO_BRIDGE, CHECK_PATH)
  }
  return createPassed('PATH_OK', 'A bridge answers at this path.')
}

async function token(
  client: BridgeClient,
  target: BridgeTarget,
  tokenStatus: TokenStatus,
  signal: AbortSignal,
): Promise<Finding> {
  if (tokenStatus.state === 'locked') {
    return createFailed(
      'TOKEN_LOCKED',
      'The token of this host is stored, but cannot be decrypted now.',
      'Unlock the keyring and connect again, or set the token again.',
    )
  }
  if (target.token === null) {
    return createFailed(
      'TOKEN_NONE',
      'There is no token for this host.',
      'Enter it with the address, in “Token”, or pair with the device.',
    )
  }
  try {
    const { isAuthorized } = await probeHost(client, target, signal)
    if (isAuthorized === false)
      return createFailed('TOKEN_REFUSED', 'The host does not accept the token.', 'Set the token again.')
    // Unknown whether the host accepts the token, so a request that needs it decides.
    if (isAuthorized === null) await readCapabilities(client, target, signal)
  } catch (error) {
    if (error instanceof AppError && error.wire.status === 401) {
      return createFailed('TOKEN_REFUSED', toMessage(error), 'Set the token again.')
    }
    if (error instanceof AppError && error.code === 'CAPABILITIES_MALFORMED')
      return createPassed('TOKEN_OK', TOKEN_ACCEPTED)
    return createFailed(
      'TOKEN_FAILED',
      toMessage(error),
      'Try again; if it keeps failing, check the header and the scheme in the profile.',
    )
  }
  return createPassed('TOKEN_OK', TOKEN_ACCEPTED)
}

async function capabilities(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<Finding> {
  try {
    const response = await readCapabilities(client, target, signal)
    const count = response.capabilities.routes.length
    if (count === 0)
      return createPassed('CAPABILITIES_UNKNOWN', 'The host responds, and no routes were found in its capabilities.')
    return { ...createPassed('CAPABILITIES_OK', `The host lists ${count} routes.`), params: { count } }
  } catch (error) {
    return createFailed(
      'CAPABILITIES_BAD',
      toMessage(error),
      'The host is running, but its capabilities could not be read. Look at its response.',
    )
  }
}

const TOKEN_ACCEPTED = 'The host accepts the token.'

const toMessage = (error: unknown): string =>
  error instanceof AppError && error.message !== '' ? error.message : 'The step failed. The log has the reason.'
