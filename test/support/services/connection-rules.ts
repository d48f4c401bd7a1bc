import type { ConnectionState } from '../../../shared/ipc/connection.ts'

type Phase = ConnectionState['phase']

/**
 * Where each phase may lead; setting the same phase again (another profile, a new error) is not a
 * transition.
 */
export const legalMoves: Readonly<Record<Phase, readonly Phase[]>> = {
  none: ['connecting'],
  connecting: ['online', 'offline', 'unauthorized', 'none'],
  online: ['connecting', 'offline', 'unauthorized', 'none'],
  offline: ['connecting', 'online', 'unauthorized', 'none'],
  unauthorized: ['connecting', 'online', 'offline', 'none'],
}
