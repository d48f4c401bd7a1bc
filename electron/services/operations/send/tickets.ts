import { randomBytes } from 'node:crypto'
import { refused } from '../../../../shared/errors.ts'
import type { Command } from './command.ts'
import { outdated, stale } from './sender.ts'

const KEPT_MS = 10 * 60_000
const MOST = 200

interface Ticket {
  readonly command: Command
  readonly binding: string
  /** What stood in its way when it was shown. */
  readonly trouble: readonly string[]
  /** By a clock that nobody sets. */
  readonly endsAt: number
}

/** Tickets for prepared commands: each allows one send of exactly what was shown. */
export class Tickets {
  readonly #open = new Map<string, Ticket>()

  issue(command: Command, binding: string, trouble: readonly string[] = []): { ticket: string; expiresAt: number } {
    const [oldest] = this.#open.keys()
    if (this.#open.size >= MOST && oldest !== undefined) this.#open.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    const expiresAt = Date.now() + KEPT_MS
    this.#open.set(ticket, { command, binding, trouble, endsAt: performance.now() + KEPT_MS })
    return { ticket, expiresAt }
  }

  /**
   * The command of a ticket, which stays valid. `bindingNow` returns what it would be bound to now. Throws `TICKET_INVALID`,
   * `TICKET_STALE`.
   */
  look(ticket: string, bindingNow: (command: Command) => string): Command {
    const found = this.#open.get(ticket)
    if (!found || found.endsAt < performance.now()) {
      this.#open.delete(ticket)
      throw refused('TICKET_INVALID', 'This was already sent, or has waited too long. Review it again.')
    }
    if (found.binding !== bindingNow(found.command)) {
      this.#open.delete(ticket)
      throw stale()
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
    bindingNow: (command: Command) => string,
    troubleNow: (command: Command) => readonly string[] = () => [],
  ): { command: Command; giveBack: () => void } {
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
    bindingNow: (command: Command) => string,
    troubleNow: (command: Command) => readonly string[] = () => [],
  ): Command {
    const command = this.look(ticket, bindingNow)
    const known = this.#open.get(ticket)?.trouble ?? []
    this.#open.delete(ticket)
    if (troubleNow(command).some((one) => !known.includes(one))) throw outdated()
    return command
  }
}
