/** A token is printable ASCII without spaces. */
export const TOKEN_PATTERN = /^[\x21-\x7e]+$/
