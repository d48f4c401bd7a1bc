import { randomBytes } from 'node:crypto'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { PreparedCommand } from './prepared-command.ts'
import { createOutdatedTicketError, createStaleTicketError } from './sender.ts'

const TICKET_LIFETIME_MS = 10 * 60_000
const MAX_TICKETS = 200

interface Ticket {
  readonly command: PreparedCommand
  readonly binding: string
  /** Short forms of the obstacles that were shown to the user. */
  readonly obstacles: readonly string[]
  /** Milliseconds of the monotonic clock. */
  readonly expiresAtMonotonic: number
}

/** Each ticket allows one send of exactly the command that was shown. */
export class Tickets {
  readonly #tickets = new Map<string, Ticket>()

  issue(
    command: PreparedCommand,
    binding: string,
    obstacles: readonly string[] = [],
  ): { ticket: string; expiresAt: number } {
    const [oldest] = this.#tickets.keys()
    if (this.#tickets.size >= MAX_TICKETS && oldest !== undefined) this.#tickets.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    const expiresAt = Date.now() + TICKET_LIFETIME_MS
    this.#tickets.set(ticket, {
      command,
      binding,
      obstacles,
      expiresAtMonotonic: performance.now() + TICKET_LIFETIME_MS,
    })
    return { ticket, expiresAt }
  }

  /**
   * Returns the command of a ticket, which stays valid.
   * @param computeBinding returns what the command would be bound to now.
   * @throws TICKET_INVALID when the ticket was used or has expired
   * @throws TICKET_STALE when the connection has changed
   */
  peek(ticket: string, computeBinding: (command: PreparedCommand) => string): PreparedCommand {
    const entry = this.#tickets.get(ticket)
    if (!entry || entry.expiresAtMonotonic < performance.now()) {
      this.#tickets.delete(ticket)
      throw createRefusedError('TICKET_INVALID', 'This was already sent, or has waited too long. Review it again.')
    }
    if (entry.binding !== computeBinding(entry.command)) {
      this.#tickets.delete(ticket)
      throw createStaleTicketError()
    }
    return entry.command
  }

  drop(ticket: string): void {
    this.#tickets.delete(ticket)
  }

  /** Like `take`, but the ticket can be returned if nothing was executed. */
  borrow(
    ticket: string,
    computeBinding: (command: PreparedCommand) => string,
    findObstacles: (command: PreparedCommand) => readonly string[] = () => [],
  ): { command: PreparedCommand; returnTicket: () => void } {
    const entry = this.#tickets.get(ticket)
    const command = this.take(ticket, computeBinding, findObstacles)
    return { command, returnTicket: () => void (entry && this.#tickets.set(ticket, entry)) }
  }

  /**
   * Uses up a ticket for its one send.
   * @throws TICKET_OUTDATED when there is an obstacle that was not shown: the request id was used
   *   in the meantime, or another commit began in the window
   * @throws TICKET_INVALID when the ticket was used or has expired
   * @throws TICKET_STALE when the connection has changed
   */
  take(
    ticket: string,
    computeBinding: (command: PreparedCommand) => string,
    findObstacles: (command: PreparedCommand) => readonly string[] = () => [],
  ): PreparedCommand {
    const command = this.peek(ticket, computeBinding)
    const knownObstacles = this.#tickets.get(ticket)?.obstacles ?? []
    this.#tickets.delete(ticket)
    if (findObstacles(command).some((obstacle) => !knownObstacles.includes(obstacle))) throw createOutdatedTicketError()
    return command
  }
}
