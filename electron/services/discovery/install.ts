import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { member } from '../../../shared/json/object.ts'
import { AppError } from '../../../shared/errors.ts'
import type { InstallCode } from '../../../shared/ipc/connection.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'

/**
 * Asks the host for an installation code, once (observed-0.49 §1). Written down nowhere: whoever has the code gets a token for it. Throws
 * `NOT_CONNECTED`, `READ_ONLY`, what the client meets, and `INSTALL_REFUSED` with what the host said.
 */
export async function installCode(client: BridgeClient, connection: Connection): Promise<InstallCode> {
  const outcome = await client.once(connection.target(), { endpoint: endpoint('install.code'), body: {} })
  if (outcome.kind === 'failure') throw outcome.error
  const { status, value } = outcome
  const code = member(value, 'code')
  const error = member(value, 'error')
  if (status >= 300 || error !== undefined || typeof code !== 'string') {
    const said = member(error, 'message')
    const message = typeof said === 'string' ? said : `The host answered ${status} and gave no code.`
    const own = member(error, 'code')
    const name = typeof own === 'string' ? own : 'INSTALL_REFUSED'
    throw new AppError({ kind: 'host', code: name, status, message: message.slice(0, 500), retryable: false })
  }
  const seconds = member(value, 'expiresInSeconds') ?? member(value, 'expiresIn')
  return { code: code.slice(0, 200), expiresInSeconds: typeof seconds === 'number' ? seconds : null }
}
