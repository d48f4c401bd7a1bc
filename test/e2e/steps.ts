import type { Locator, Page } from '@playwright/test'

/**
 * What a user does in one job, counted: every click, and every key that is no part of a text.
 * Pasting and typing a text count once.
 */
export class Steps {
  readonly #page: Page
  #received: string[] = []

  constructor(page: Page) {
    this.#page = page
  }

  /** All that was done, for the message of a failing expectation and for counting. */
  get taken(): readonly string[] {
    return this.#received
  }

  async click(target: Locator): Promise<void> {
    this.#received.push(`click ${String(target)}`)
    await target.click()
  }

  async press(key: string): Promise<void> {
    this.#received.push(key)
    await this.#page.keyboard.press(key)
  }

  /** A text typed into what has the focus. */
  async type(text: string): Promise<void> {
    this.#received.push(`type ${text}`)
    await this.#page.keyboard.insertText(text)
  }
}
