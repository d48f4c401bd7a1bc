import { randomBytes } from 'node:crypto'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { PreparedCommand } from './prepared-command.ts'
import { createOutdatedTicketError, createStaleTicketError } from './sender.ts'

const TICKET_LIFETIME_MS = 10 * 60_000
const MAX_TICKETS = 200

interface Ticket {
  readonly command: PreparedCommand
  readonly binding: string
  /** What stood in its way when it was shown. */
  readonly trouble: readonly string[]
  /** By a clock that nobody sets. */
  readonly endsAt: number
}

/** Tickets for prepared commands: each allows one send of exactly what was shown. */
export class Tickets {
  readonly #open = new Map<string, Ticket>()

  issue(
    command: PreparedCommand,
    binding: string,
    trouble: readonly string[] = [],
  ): { ticket: string; expiresAt: number } {
    const [oldest] = this.#open.keys()
    if (this.#open.size >= MAX_TICKETS && oldest !== undefined) this.#open.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    const expiresAt = Date.now() + TICKET_LIFETIME_MS
    this.#open.set(ticket, { command, binding, trouble, endsAt: performance.now() + TICKET_LIFETIME_MS })
    return { ticket, expiresAt }
  }

  /**
   * The command of a ticket, which stays valid. `bindingNow` returns what it would be bound to now. Throws `TICKET_INVALID`,
   * `TICKET_STALE`.
   */
  peek(ticket: string, bindingNow: (command: PreparedCommand) => string): PreparedCommand {
    const found = this.#open.get(ticket)
    if (!found || found.endsAt < performance.now()) {
      this.#open.delete(ticket)
      throw createRefusedError('TICKET_INVALID', 'This was already sent, or has waited too long. Review it again.')
    }
    if (found.binding !== bindingNow(found.command)) {
      this.#open.delete(ticket)
      throw createStaleTicketError()
    }
    return found.command
  }

  /** Ends a ticket that nobody will use: what it holds is free at once. */
  drop(ticket: string): void {
    this.#open.delete(ticket)
  }

  /** Like `take`, but the ticket can be given back if nothing was executed; meanwhile nobody else can send it. */
  borrow(
    ticket: string,
    bindingNow: (command: PreparedCommand) => string,
    troubleNow: (command: PreparedCommand) => readonly string[] = () => [],
  ): { command: PreparedCommand; giveBack: () => void } {
    const found = this.#open.get(ticket)
    const command = this.take(ticket, bindingNow, troubleNow)
    return { command, giveBack: () => void (found && this.#open.set(ticket, found)) }
  }

  /**
   * Like `look`, but for the one send: the ticket is used up. Throws `TICKET_OUTDATED` if something that was not shown now stands in its
   * way: the same request id was used in the meantime, or another commit began in the window.
   */
  take(
    ticket: string,
    bindingNow: (command: PreparedCommand) => string,
    troubleNow: (command: PreparedCommand) => readonly string[] = () => [],
  ): PreparedCommand {
    const command = this.peek(ticket, bindingNow)
    const known = this.#open.get(ticket)?.trouble ?? []
    this.#open.delete(ticket)
    if (troubleNow(command).some((one) => !known.includes(one))) throw createOutdatedTicketError()
    return command
  }
}
