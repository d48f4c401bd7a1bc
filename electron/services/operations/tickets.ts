import { randomBytes } from 'node:crypto'
import { refused } from '../../../shared/errors.ts'
import type { Command } from './command.ts'
import { outdated, stale } from './sender.ts'

const KEPT_MS = 10 * 60_000
const MOST = 200

interface Ticket {
  readonly command: Command
  readonly binding: string
  /** What stood in its way when it was shown. */
  readonly trouble: readonly string[]
  readonly expiresAt: number
}

/** Tickets for prepared commands: each is good for one send of exactly what was shown. */
export class Tickets {
  readonly #open = new Map<string, Ticket>()

  issue(command: Command, binding: string, trouble: readonly string[] = []): { ticket: string; expiresAt: number } {
    const [oldest] = this.#open.keys()
    if (this.#open.size >= MOST && oldest !== undefined) this.#open.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    const expiresAt = Date.now() + KEPT_MS
    this.#open.set(ticket, { command, binding, trouble, expiresAt })
    return { ticket, expiresAt }
  }

  /** What a ticket stands for; it stays good. `bindingNow` gives what it would be bound to now. Throws `TICKET_INVALID`, `TICKET_STALE`. */
  look(ticket: string, bindingNow: (command: Command) => string): Command {
    const found = this.#open.get(ticket)
    if (!found || found.expiresAt < Date.now()) {
      this.#open.delete(ticket)
      throw refused('TICKET_INVALID', 'This was sent already, or has waited for too long. Review it again.')
    }
    if (found.binding !== bindingNow(found.command)) {
      this.#open.delete(ticket)
      throw stale()
    }
    return found.command
  }

  /** As `take`, with a way back for a request that executed nothing: meanwhile nobody can send it as well. */
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
   * As `look`, for the one send: from now on the ticket is good for nothing. Throws `TICKET_OUTDATED` where something stands in its way that
   * was not shown: the same request id was used meanwhile, or another commit of the window began.
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
