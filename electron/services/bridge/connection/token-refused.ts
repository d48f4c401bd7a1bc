import { AppError, type WireError } from '../../../../shared/errors.ts'
import type { TokenStatus } from '../../../../shared/ipc/profiles.ts'

/** The host answered, and said that the token is not good without refusing the request. */
export class TokenRefused extends AppError {
  constructor() {
    super({
      kind: 'host',
      code: 'UNAUTHORIZED',
      status: 401,
      message: 'The host does not accept the token of this profile.',
      retryable: false,
    })
  }
}

/** What the user is told when a host wants a token: that there is none, that it is locked, or what the host said. */
export function tokenRefusal(error: AppError, { state }: TokenStatus): WireError {
  if (state === 'none') {
    return {
      ...error.wire,
      kind: 'refused',
      code: 'TOKEN_NONE',
      message: 'The host requires a token, and the profile has none. Set one on the Connect page.',
    }
  }
  if (state === 'locked') {
    return {
      ...error.wire,
      kind: 'refused',
      code: 'TOKEN_LOCKED',
      message:
        'The token of this profile is stored, but cannot be decrypted now. Unlock the keyring and connect again, or set the token again.',
    }
  }
  return error.wire
}
