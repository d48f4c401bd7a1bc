import type { ConnectionState } from '../../shared/ipc/connection.ts'

type Phase = ConnectionState['phase']

/** Where each phase may lead; a phase that is set again (another profile, a new error) is no move. */
export const legalMoves: Readonly<Record<Phase, readonly Phase[]>> = {
  none: ['connecting'],
  connecting: ['online', 'offline', 'unauthorized', 'none'],
  online: ['connecting', 'offline', 'unauthorized', 'none'],
  offline: ['connecting', 'online', 'unauthorized', 'none'],
  unauthorized: ['connecting', 'online', 'offline', 'none'],
}
