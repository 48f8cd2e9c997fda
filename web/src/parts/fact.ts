/** A row of a list of facts: a name and its value. */
export const fact = (name: string, value: string): [name: string, value: string] => [name, value]
