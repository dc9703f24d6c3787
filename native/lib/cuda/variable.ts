export class Variable {}
