/** What can be sent as a token: printable ASCII without spaces. */
export const TOKEN_PATTERN = /^[\x21-\x7e]+$/
