import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../../shared/json/object.ts'
import { AppError } from '../../../shared/errors.ts'
import type { InstallCode } from '../../../shared/ipc/connection.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'

/**
 * Asks the host for an installation code, once (observed-0.49 §1). Written down nowhere: whoever has the code gets a token for it. Throws
 * `NOT_CONNECTED`, `READ_ONLY`, what the client meets, and `INSTALL_REFUSED` with what the host said.
 */
export async function requestInstallCode(client: BridgeClient, connection: Connection): Promise<InstallCode> {
  const outcome = await client.sendOnce(connection.target(), { endpoint: getEndpoint('install.code'), body: {} })
  if (outcome.kind === 'failure') throw outcome.error
  const { status, value } = outcome
  const code = getMember(value, 'code')
  const error = getMember(value, 'error')
  if (status >= 300 || error !== undefined || typeof code !== 'string') {
    const said = getMember(error, 'message')
    const message = typeof said === 'string' ? said : `The host answered ${status} and gave no code.`
    const own = getMember(error, 'code')
    const name = typeof own === 'string' ? own : 'INSTALL_REFUSED'
    throw new AppError({ kind: 'host', code: name, status, message: message.slice(0, 500), retryable: false })
  }
  const seconds = getMember(value, 'expiresInSeconds') ?? getMember(value, 'expiresIn')
  return { code: code.slice(0, 200), expiresInSeconds: typeof seconds === 'number' ? seconds : null }
}
