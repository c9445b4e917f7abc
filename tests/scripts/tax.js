function tax(income) {
    if (income === undefined) throw 'no input';
    if (income < 1000) return income * 0.1;
    if (income < 10000) return income * 0.2;
    return income * 0.4;
}
