import type { InjectionKey } from 'vue'

/** A command for the value at the cursor of a JSON text. */
export interface ValueAction {
  readonly label: string
  /** @param pointer JSON pointer to the value */
  run(pointer: string): unknown
}

/** Provided around an exchange, it is a command of the response body. */
export const responseValueActionKey: InjectionKey<ValueAction> = Symbol('response value action')
