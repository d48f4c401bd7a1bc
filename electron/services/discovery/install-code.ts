import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../../shared/json/object.ts'
import { AppError } from '../../../shared/errors.ts'
import type { InstallCode } from '../../../shared/ipc/connection.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'

/**
 * Requests an installation code from the host, once (observed-0.49 §1). The code is stored nowhere,
 * because it can be exchanged for a token.
 * @throws NOT_CONNECTED, READ_ONLY, errors of the client, and INSTALL_REFUSED or the host's code
 *   when the host refuses
 */
export async function requestInstallCode(client: BridgeClient, connection: Connection): Promise<InstallCode> {
  const outcome = await client.sendOnce(connection.target(), { endpoint: getEndpoint('install.code'), body: {} })
  if (outcome.kind === 'failure') throw outcome.error
  const { status, value } = outcome
  const code = getMember(value, 'code')
  const error = getMember(value, 'error')
  if (status >= 300 || error !== undefined || typeof code !== 'string') {
    const hostMessage = getMember(error, 'message')
    const message = typeof hostMessage === 'string' ? hostMessage : `The host answered ${status} and gave no code.`
    const hostCode = getMember(error, 'code')
    const errorCode = typeof hostCode === 'string' ? hostCode : 'INSTALL_REFUSED'
    throw new AppError({ kind: 'host', code: errorCode, status, message: message.slice(0, 500), retryable: false })
  }
  const seconds = getMember(value, 'expiresInSeconds') ?? getMember(value, 'expiresIn')
  return { code: code.slice(0, 200), expiresInSeconds: typeof seconds === 'number' ? seconds : null }
}
